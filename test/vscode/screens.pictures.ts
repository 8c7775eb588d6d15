import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openDiff } from '../../packages/bridge/testing/program.ts';
import { claudeCode } from '../agents/agents/claude-code.ts';
import { install } from '../agents/install.ts';
import { ScriptedModel } from '../agents/scripted-model.ts';
import { User } from './user.ts';
import { PRODUCT, until } from './workbench.ts';

// `npm run test:real -- vscode pictures`: the pictures of docs/vscode.md, and those of the extension's walkthrough. The agent is
// the real Claude Code, with a scripted model.

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const MEDIA = fileURLToPath(new URL('../../editors/vscode/media', import.meta.url));
const OLD = `import { readFile } from 'node:fs/promises';

export interface Settings {
  readonly port: number;
  readonly host: string;
}

/** Reads the settings of the server. */
export async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, 'utf8');
  return JSON.parse(text);
}

export function addressOf(settings: Settings): string {
  return settings.host + ':' + settings.port;
}
`;
const CHECKED = `  const settings: Settings = JSON.parse(text);
  if (!Number.isInteger(settings.port)) throw new Error('The port is no number');
  return settings;
`;
const NEW = OLD.replace('  return JSON.parse(text);\n', CHECKED).replace(
  "settings.host + ':' + settings.port",
  "[settings.host, settings.port].join(':')",
);
const WIDE = { width: 1280, height: 620 };

it('pictures', { timeout: 300_000 }, async () => {
  const program = await install(claudeCode);
  const model = await ScriptedModel.open();
  const user = await User.sitDown({
    extension: PRODUCT,
    settings: { 'hawser.noticing': false, 'remote.autoForwardPorts': false },
  });
  const { window, workbench } = user;
  const { page } = window;
  const take = async (...path: string[]) => {
    // Nothing appears under the mouse there.
    await page.mouse.move(640, 615);
    await page.locator('.codelens-decoration a', { hasText: 'Reject change 1 of 2' }).first().waitFor();
    await until(async () => (await page.locator('.statusbar .codicon-loading').count()) === 0);
    await page.screenshot({ path: join(...path) });
  };
  try {
    const path = workbench.file('settings.ts', OLD);
    const { env } = claudeCode.start({
      home: join(workbench.home, 'home'),
      workspace: workbench.folder,
      modelUrl: model.url,
    });
    const variables = {
      ...env,
      HTTPS_PROXY: model.url,
      NO_PROXY: 'localhost,127.0.0.1',
      PATH: `${dirname(program)}:${process.env.PATH}`,
    };
    await window.run(
      (api, linux) => api.workspace.getConfiguration('terminal.integrated.env').update('linux', linux, true),
      variables,
    );
    await page.setViewportSize(WIDE);
    await user.opensView();
    await user.letAgentIn();
    void openDiff(user.agent, workbench.file('server.ts', OLD), NEW, 'server').catch(() => {});
    await window.command('hawser.start.claude-code');
    const terminal = page.locator('.terminal-wrapper.active .xterm-rows');
    await terminal.filter({ hasText: claudeCode.prompt }).waitFor();
    const [from, to] = [OLD.slice(OLD.indexOf('  return JSON')), NEW.slice(NEW.indexOf(CHECKED))];
    model.script([...(claudeCode.edit?.(path, { from, to }) ?? []), { say: 'Done.' }]);
    await page.locator('.terminal-wrapper.active .xterm-screen').click();
    await user.type('check the port when the settings are read');
    await user.press('Enter');
    await until(async () => (await user.statusBar()).includes('Hawser 2'));
    await user.row('settings.ts').click();
    await user.sees('settings.ts');
    await take(MEDIA, 'walkthrough-agent.png');
    await window.command('workbench.action.toggleMaximizeEditorGroup');
    await page.locator('.editor.modified .view-line', { hasText: 'isInteger' }).click();
    await take(IMAGES, 'vscode-review-light.png');
    await take(MEDIA, 'walkthrough-review.png');
    await window.run((api) =>
      api.workspace.getConfiguration('workbench').update('colorTheme', 'Default Dark Modern', true),
    );
    await until(() => page.locator('.monaco-workbench.vs-dark').count());
    await take(IMAGES, 'vscode-review-dark.png');
    await page.setViewportSize({ width: 620, height: 700 });
    await window.command('workbench.action.closeSidebar');
    await take(IMAGES, 'vscode-narrow.png');
    await page.setViewportSize(WIDE);
    await user.beginsNote('isInteger', 'say which file it is');
    await take(MEDIA, 'walkthrough-notes.png');
    expect(readFileSync(join(IMAGES, 'vscode-narrow.png')).length).toBeGreaterThan(1000);
  } finally {
    if (process.env.HAWSER_SHOTS) await page.screenshot({ path: join(process.env.HAWSER_SHOTS, 'pictures-end.png') });
    await user.leave();
    await model.close();
  }
});
