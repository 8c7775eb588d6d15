import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenAdapter } from '../../packages/bridge/src/agent.ts';
import { type Agent, connectAgent } from '../../packages/bridge/testing/agent.ts';
import { connectMcp } from '../../packages/bridge/testing/mcp-client.ts';
import { openDiff } from '../../packages/bridge/testing/program.ts';
import { PRODUCT, until, type Window, Workbench } from './workbench.ts';

// The extension by the hand of a user, in one window: keys, clicks, and what is on the screen.

const PROGRAM = fileURLToPath(new URL('../../packages/bridge/dist/main.cjs', import.meta.url));
const OLD = `${Array.from({ length: 40 }, (_, index) => `export const v${index} = ${index};`).join('\n')}\n`;
const NEW = OLD.replace('v3 = 3;', 'v3 = 33;').replace('v20 = 20;', 'v20 = 2020;\nexport const added = 1;');
/** A user counts as idle then. */
const IDLE_MS = 5200;

let workbench: Workbench;
let window: Window;
let agent: Agent;

beforeAll(async () => {
  workbench = await Workbench.start({
    extension: PRODUCT,
    // What a test writes is no agent's.
    settings: {
      'hawser.noticing': false,
      'terminal.integrated.env.linux': { PATH: `${process.env.HAWSER_BIN ?? ''}:${process.env.PATH}` },
    },
    env: { PATH: `${process.env.HAWSER_BIN ?? ''}:${process.env.PATH}` },
  });
  fakeAgent('claude');
  window = await workbench.open();
  await until(async () => (await statusBar()).includes('Hawser'), 60_000);
  agent = await connectClaude();
  await until(async () => (await statusBar()).includes('claude-code'));
});
afterAll(async () => {
  agent?.close();
  await hawser('stop').catch(() => {});
  await workbench.close();
});

const run = promisify(execFile);
const hawser = async (...args: string[]) => {
  const env = { ...process.env, ...workbench.env };
  return (await run(process.execPath, [PROGRAM, ...args], { cwd: workbench.folder, env })).stdout;
};
const adapterOf = async (name: string) => {
  const { agents } = JSON.parse(await hawser('status', '--json'));
  return agents.find((each: { name: string }) => each.name === name) as OpenAdapter;
};
const connectClaude = async () => {
  const { endpoints, discoveryFiles } = await until(() => adapterOf('claude-code').catch(() => undefined));
  const { authToken } = JSON.parse(readFileSync(discoveryFiles[0] as string, 'utf8'));
  const connected = await connectAgent(endpoints[0] as string, authToken);
  await connected.initialize();
  return connected;
};
/** A program of this name that says what it was started with. */
function fakeAgent(name: string): void {
  const folder = process.env.HAWSER_BIN ?? '';
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, name),
    '#!/bin/sh\necho "port $CLAUDE_CODE_SSE_PORT electron [$ELECTRON_RUN_AS_NODE]" > "$(dirname "$0")/started"\nread line\n',
  );
  chmodSync(join(folder, name), 0o755);
}
const statusBar = () =>
  window.page
    .locator('[id="hawser-dev.hawser.hawser"]')
    .innerText()
    .catch(() => '');
const tabs = () =>
  window.run((api) =>
    api.window.tabGroups.all.flatMap((group) =>
      group.tabs.map((tab) => ({ label: tab.label, isActive: tab.isActive, isDirty: tab.isDirty })),
    ),
  );
const tabNamed = async (label: string) => (await tabs()).find((tab) => tab.label.startsWith(label));
const right = () =>
  window.run((api) => {
    const tab = api.window.tabGroups.activeTabGroup.activeTab?.input as
      | { modified?: { toString(): string } }
      | undefined;
    const document = api.workspace.textDocuments.find((each) => each.uri.toString() === tab?.modified?.toString());
    return document?.getText();
  });
const left = () =>
  window.run((api) => {
    const tab = api.window.tabGroups.activeTabGroup.activeTab?.input as
      | { original?: { toString(): string } }
      | undefined;
    const document = api.workspace.textDocuments.find((each) => each.uri.toString() === tab?.original?.toString());
    return document?.getText();
  });
const editor = (side: 'original' | 'modified') => window.page.locator(`.editor.${side} .view-lines`).first();
const press = (keys: string) => window.page.keyboard.press(keys);
/** Puts the cursor into a line that no one changes. */
const focus = () => window.page.locator('.editor.modified .view-line', { hasText: 'v10 = 10;' }).click();
/** A proposal in front, as if the user had been idle. */
const proposed = async (name: string, oldText = OLD, newText = NEW) => {
  const path = workbench.file(name, oldText);
  const outcome = openDiff(agent, path, newText, name);
  await until(async () => await tabNamed(name));
  await window.command('hawser.show');
  await until(async () => (await tabNamed(name))?.isActive);
  await editor('modified').waitFor();
  await until(async () => (await right()) !== undefined);
  return { path, outcome };
};

beforeEach(async () => {
  await window.command('workbench.action.closeAllEditors');
  await window.command('notifications.clearAll');
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail' && process.env.HAWSER_SHOTS) {
    await window.page.screenshot({
      path: join(process.env.HAWSER_SHOTS, `${task.name.replace(/\W+/g, '-').slice(0, 60)}.png`),
    });
  }
  // What a failed test left.
  for (const { id } of JSON.parse(await hawser('review', '--list', '--json').catch(() => '[]'))) {
    await hawser('review', '--reject', id).catch(() => {});
  }
});

describe('the extension', () => {
  it('is active at once, and has started a bridge that agents find', async () => {
    const ms = await window.run(() => (globalThis as unknown as { hawserActivation: number }).hawserActivation);
    console.log(`activation: ${ms.toFixed(1)} ms`);
    // A figure of a quiet machine; on another one it says little.
    expect(ms).toBeLessThan((loadavg()[0] ?? 0) < 1 ? 20 : 1000);
    expect(JSON.parse(await hawser('status', '--json')).editor).toContain('code');
  });

  it('tells agents what the user selects with keys', async () => {
    const path = workbench.file('selected.ts', 'const one = 1;\n');
    await agent.call('openFile', { filePath: path });
    await window.page.locator('.monaco-editor .view-line').first().click();
    const selected = agent.notification('selection_changed', ({ text }) => text === 'const one');
    await press('Home');
    await press('Control+Shift+ArrowRight');
    await press('Control+Shift+ArrowRight');
    expect(await selected).toMatchObject({ filePath: path });
  });

  it('gives agents the problems that TypeScript finds in unsaved text', async () => {
    const path = workbench.file('problem.ts', 'export const n: number = 1;\n');
    await agent.call('openFile', { filePath: path });
    await window.page.locator('.monaco-editor .view-line').first().click();
    await press('End');
    await window.page.keyboard.type(' n = "text";');
    const found = await until(async () => {
      const list = JSON.stringify(await agent.callJson('getDiagnostics', { uri: `file://${path}` }));
      return list.includes('number') || list.includes('constant') ? list : undefined;
    });
    expect(found).toContain('problem.ts');
    await window.command('workbench.action.files.revert');
  });
});

describe('a proposal', () => {
  it('is in front of an idle user, and Ctrl+Enter accepts it as proposed', async () => {
    const path = workbench.file('idle.ts', OLD);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const outcome = openDiff(agent, path, NEW, 'idle.ts');
    await until(async () => (await tabNamed('idle.ts'))?.isActive);
    await focus();
    await press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW]);
    await until(async () => (await tabNamed('idle.ts')) === undefined);
  });

  it('is rejected by Alt+Shift+N, and the tab goes without a question', async () => {
    const { outcome } = await proposed('rejected.ts');
    await focus();
    await press('Alt+Shift+KeyN');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
    await until(async () => (await tabNamed('rejected.ts')) === undefined);
    expect(await window.page.locator('.monaco-dialog-box').count()).toBe(0);
  });

  it('is edited with keys, is never dirty, and is accepted as the user made it', async () => {
    const { outcome } = await proposed('edited.ts');
    await focus();
    await press('End');
    await window.page.keyboard.type(' // mine');
    await until(async () => (await right())?.includes('// mine'));
    expect((await tabNamed('edited.ts'))?.isDirty).toBe(false);
    await press('Control+Enter');
    const [saved, text] = await outcome;
    expect(saved).toBe('FILE_SAVED');
    expect(text?.replace(' // mine', '')).toBe(NEW);
    expect(text).toContain(' // mine');
  });

  it('loses the hunk at the cursor with Alt+N, and Ctrl+Z brings it back', async () => {
    const { outcome } = await proposed('hunk-key.ts');
    await focus();
    await press('Control+Home');
    // The extension learns of the cursor a moment later.
    await until(async () => (await window.run((api) => api.window.activeTextEditor?.selection.active.line)) === 0);
    await press('Alt+KeyY');
    await press('Alt+KeyN');
    await until(async () => (await right())?.includes('v3 = 3;'));
    await press('Control+KeyZ');
    await until(async () => (await right())?.includes('v3 = 33;'));
    await press('Alt+KeyN');
    await until(async () => (await right())?.includes('v3 = 3;'));
    await press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW.replace('v3 = 33;', 'v3 = 3;')]);
  });

  it('loses a hunk by a click on the lens over it', async () => {
    const { outcome } = await proposed('hunk-lens.ts');
    await window.page.locator('.codelens-decoration a', { hasText: 'Reject change 2 of 2' }).first().click();
    await until(async () => (await right())?.includes('v20 = 20;'));
    await window.page.locator('.codelens-decoration a', { hasText: 'Accept file' }).first().click();
    expect(await outcome).toEqual(['FILE_SAVED', OLD.replace('v3 = 3;', 'v3 = 33;')]);
  });

  it('loses a hunk by the arrow between the sides', async () => {
    const { outcome } = await proposed('hunk-arrow.ts');
    await focus();
    await until(async () => await window.page.locator('.gutterItem .action-label').count());
    await window.page.locator('.gutterItem .action-label').first().click();
    await until(async () => (await right())?.includes('v3 = 3;'));
    await press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW.replace('v3 = 33;', 'v3 = 3;')]);
  });

  it('has buttons in the title of its editor', async () => {
    const { outcome } = await proposed('buttons.ts');
    await window.page.locator('.editor-actions .action-label[aria-label^="Accept Change"]').first().click();
    expect((await outcome)[0]).toBe('FILE_SAVED');
  });

  it('opens behind a user who types, and every key reaches the file', async () => {
    const path = workbench.file('typing.ts', '\n');
    await agent.call('openFile', { filePath: path });
    await window.page.locator('.monaco-editor .view-line').first().click();
    await window.page.keyboard.type('one ');
    const other = workbench.file('behind.ts', OLD);
    const outcome = openDiff(agent, other, NEW, 'behind.ts');
    for (const word of ['two ', 'three ', 'four ', 'five ', 'six'])
      await window.page.keyboard.type(word, { delay: 30 });
    await until(async () => await tabNamed('behind.ts'));
    expect((await tabNamed('typing.ts'))?.isActive).toBe(true);
    await until(async () =>
      (await window.run((api) => api.window.activeTextEditor?.document.getText()))?.includes('six'),
    );
    expect(await window.run((api) => api.window.activeTextEditor?.document.getText())).toBe(
      'one two three four five six\n',
    );
    expect(await statusBar()).toContain('Hawser 1');
    await window.command('workbench.action.files.revert');
    await window.command('hawser.show');
    await until(async () => (await tabNamed('behind.ts'))?.isActive);
    await focus();
    await press('Alt+Shift+KeyN');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });

  it('waits in the view when its tab is closed, with what the user typed', async () => {
    const { outcome } = await proposed('put-away.ts');
    await focus();
    await press('End');
    await window.page.keyboard.type(' // kept');
    await until(async () => (await right())?.includes('// kept'));
    await window.command('workbench.action.closeActiveEditor');
    await until(async () => (await tabNamed('put-away.ts')) === undefined);
    expect(await window.page.locator('.monaco-dialog-box').count()).toBe(0);
    await window.command('workbench.view.extension.hawser');
    const row = window.page.locator('.monaco-list-row', { hasText: 'put-away.ts' });
    expect(await row.innerText()).toContain('edited by you');
    await row.click();
    await until(async () => (await tabNamed('put-away.ts'))?.isActive);
    await until(async () => (await right())?.includes('// kept'));
    await focus();
    await press('Control+Enter');
    expect((await outcome)[1]).toContain('// kept');
  });

  it('is merged with a change of the file, and what the user typed stays', async () => {
    const { path, outcome } = await proposed('merged.ts');
    await focus();
    await press('End');
    await window.page.keyboard.type(' // mine');
    await until(async () => (await right())?.includes('// mine'));
    writeFileSync(path, OLD.replace('v39 = 39;', 'v39 = 3939;'));
    await until(async () => (await right())?.includes('v39 = 3939;'));
    expect(await right()).toContain('// mine');
    await until(async () => (await left())?.includes('3939'));
    await press('Control+Enter');
    const [, text = ''] = await outcome;
    expect(text).toContain('// mine');
    expect(text).toContain('v39 = 3939;');
  });

  it('has an original that is not edited, and Ctrl+S opens no dialog', async () => {
    const { outcome } = await proposed('read-only.ts');
    await window.page.locator('.editor.original .view-line').nth(2).click();
    await window.page.keyboard.type('x');
    await focus();
    await press('Control+KeyS');
    await until(
      async () => await window.page.locator('.statusbar-item', { hasText: 'What you typed is kept' }).count(),
    );
    expect(await window.page.locator('.monaco-dialog-box, .quick-input-widget:visible').count()).toBe(0);
    expect(await left()).toBe(OLD);
    await press('Control+Enter');
    expect(await outcome).toEqual(['FILE_SAVED', NEW]);
  });

  it('is answered with notes on a line and on all of it', async () => {
    const { outcome } = await proposed('noted.ts');
    await window.run(async (api) => {
      const uri = api.workspace.textDocuments.find((each) => each.uri.scheme === 'hawser-new')?.uri as never;
      const controller = api.comments.createCommentController('test', 'test');
      const thread = controller.createCommentThread(uri, new api.Range(3, 0, 3, 0), []);
      await api.commands.executeCommand('hawser.addNote', { thread, text: 'why 33?' });
    });
    await focus();
    await press('Alt+Shift+KeyC');
    await window.page.locator('.quick-input-widget input').fill('smaller steps, please');
    await press('Enter');
    const answer = (await outcome).join('\n');
    expect(answer).toContain('DIFF_REJECTED');
    const told = await until(async () => (await tabNamed('noted.ts')) === undefined);
    expect(told).toBe(true);
  });

  it('writes a note with the plus in the margin', async () => {
    const { outcome } = await proposed('plus.ts');
    await window.page.locator('.editor.modified .view-line').nth(3).hover();
    await window.page.locator('.editor.modified .comment-range-glyph').first().click();
    await window.page.locator('.review-widget .monaco-editor').first().click();
    await window.page.keyboard.type('use a constant');
    await window.page.locator('.review-widget .monaco-button', { hasText: 'Add Note' }).click();
    await until(async () => await window.page.locator('.review-comment', { hasText: 'use a constant' }).count());
    await window.command('workbench.view.extension.hawser');
    await until(async () =>
      (
        await window.page.locator('.pane-body .monaco-list-row', { hasText: 'claude-code' }).first().innerText()
      ).includes('1 note'),
    );
    await window.command('hawser.show');
    await window.page.locator('.editor-actions .action-label[aria-label^="Reject Change"]').first().click();
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });

  it('is one of several that Alt+. and Alt+, go through', async () => {
    const outcomes: Promise<string[]>[] = [];
    for (const [index, name] of ['first.ts', 'second.ts'].entries()) {
      outcomes.push(openDiff(agent, workbench.file(name, OLD), NEW, `several-${index}`));
      await until(async () => (await statusBar()).includes(`Hawser ${index + 1}`));
    }
    await window.command('hawser.show');
    await until(async () => (await tabNamed('first.ts'))?.isActive);
    await focus();
    await press('Alt+Period');
    await until(async () => (await tabNamed('second.ts'))?.isActive);
    await focus();
    await press('Alt+Comma');
    await until(async () => (await tabNamed('first.ts'))?.isActive);
    await focus();
    // The next one comes in front when the first is decided.
    await press('Control+Enter');
    expect((await outcomes[0])?.[0]).toBe('FILE_SAVED');
    await until(async () => (await tabNamed('second.ts'))?.isActive);
    await focus();
    await press('Alt+Shift+KeyN');
    expect((await outcomes[1])?.[0]).toBe('DIFF_REJECTED');
  });

  it('that is decided elsewhere goes, and what was typed here is in a file', async () => {
    const { outcome } = await proposed('elsewhere.ts');
    await focus();
    await press('End');
    await window.page.keyboard.type(' // lost?');
    await until(async () => (await right())?.includes('// lost?'));
    const [{ id }] = JSON.parse(await hawser('review', '--list', '--json'));
    await hawser('review', '--accept', id);
    expect(await outcome).toEqual(['FILE_SAVED', NEW]);
    await until(async () => (await tabNamed('elsewhere.ts')) === undefined);
    await window.page.locator('.notification-list-item .monaco-button', { hasText: 'Show My Text' }).click();
    await until(async () =>
      (await window.run((api) => api.window.activeTextEditor?.document.getText()))?.includes('// lost?'),
    );
  });

  it('that is too large for the diff editor is offered without one', async () => {
    const path = workbench.file('large.json', '{}\n');
    const outcome = openDiff(agent, path, `"${'x'.repeat(300_000)}"\n`, 'large.json');
    await until(async () => (await statusBar()).includes('Hawser 1'));
    // It ends with the choice of the user.
    void window.command('hawser.show');
    expect(await tabNamed('large.json')).toBeUndefined();
    await window.page.locator('.notification-list-item .monaco-button', { hasText: 'Reject' }).click();
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });
});

describe('a set of files', () => {
  it('is shown in one editor, and is written as a whole', async () => {
    workbench.file('tsconfig.json', '{}');
    const greet = workbench.file('greet.ts', 'export function greet() {}\n');
    const main = workbench.file('main.ts', "import { greet } from './greet';\ngreet();\n");
    await agent.call('openFile', { filePath: main });
    const client = await connectMcp(await adapterOf('mcp'));
    await client.call('open_file', { path: 'greet.ts' });
    const answer = client.call('rename_symbol', { path: 'greet.ts', symbol: 'greet', new_name: 'welcome' });
    await until(async () => (await statusBar()).includes('Hawser 2'));
    await window.command('workbench.view.extension.hawser');
    const row = window.page.locator('.monaco-list-row', { hasText: '2 files' });
    await row.click();
    await until(
      async () =>
        await window.page
          .locator('.multiDiffEditor, .multi-diff-root-floating-menu, .monaco-component.multiDiffEditor')
          .count(),
    );
    await row.hover();
    await row.locator('.action-label[aria-label^="Accept All Files"]').click();
    expect((await answer).data.files).toMatchObject([{ outcome: 'written' }, { outcome: 'written' }]);
    expect(readFileSync(greet, 'utf8')).toBe('export function welcome() {}\n');
    expect(readFileSync(main, 'utf8')).toBe("import { welcome } from './greet';\nwelcome();\n");
    // The open document follows, and the change can be undone there.
    await until(async () =>
      (
        await window.run(
          (api, path) => api.workspace.textDocuments.find((each) => each.uri.fsPath === path)?.getText(),
          main,
        )
      )?.includes('welcome'),
    );
  });
});

describe('agents', () => {
  it('are paused and let in again', async () => {
    await window.command('hawser.pause');
    await until(async () => JSON.parse(await hawser('status', '--json')).paused === true);
    await until(async () => (await statusBar()).includes('Hawser'));
    await window.command('hawser.resume');
    await until(async () => JSON.parse(await hawser('status', '--json')).paused === false);
  });

  it('are started by hawser run in a terminal beside the editor, with the variables of the bridge', async () => {
    await window.command('hawser.start.claude-code');
    await until(async () => await tabNamed('Claude Code'));
    const { port } = new URL((await adapterOf('claude-code')).endpoints[0] as string);
    const started = join(process.env.HAWSER_BIN ?? '', 'started');
    expect(await until(() => existsSync(started) && readFileSync(started, 'utf8'))).toBe(`port ${port} electron []\n`);
    await window.run((api) => api.window.terminals[0]?.dispose());
  });

  it('are sent what the user selects', async () => {
    const path = workbench.file('mentioned.ts', 'one\ntwo\n');
    await agent.call('openFile', { filePath: path });
    await window.page.locator('.monaco-editor .view-line').first().click();
    const mentioned = agent.notification('at_mentioned');
    await press('Control+KeyA');
    await press('Control+Alt+KeyK');
    expect(await mentioned).toMatchObject({ filePath: path, lineStart: 0 });
  });

  it('that do not connect are explained by hawser doctor', async () => {
    await window.command('hawser.doctor');
    await until(async () =>
      (await window.run((api) => api.window.activeTextEditor?.document.getText()))?.includes('Claude Code'),
    );
  });
});

describe('a window', () => {
  it('that is reloaded shows the proposal again with what was typed, and the decision reaches the agent', async () => {
    const { outcome } = await proposed('reloaded.ts');
    await focus();
    await press('End');
    await window.page.keyboard.type(' // before');
    await until(async () => (await right())?.includes('// before'));
    await window.load();
    await until(async () => (await tabNamed('reloaded.ts'))?.isActive, 30_000);
    await until(async () => (await right())?.includes('// before'));
    // The right side takes keys a moment after it is shown; before that VS Code says that it is read-only.
    await until(async () => {
      await focus();
      await press('End');
      await window.page.keyboard.type(' after', { delay: 50 });
      return (await right())?.includes(' after');
    }, 20_000);
    expect(await right()).toContain('// before');
    await press('Control+Enter');
    const [saved, text] = await outcome;
    expect(saved).toBe('FILE_SAVED');
    expect(text).toContain('// before');
    expect(text).toContain('after');
  });

  it('beside another one on the folder shows the same, and the first decision wins', async () => {
    const path = workbench.file('two.ts', OLD);
    const first = window;
    const second = await workbench.open();
    try {
      window = second;
      await until(async () => (await statusBar()).includes('claude-code'), 30_000);
      const outcome = openDiff(agent, path, NEW, 'two.ts');
      await until(async () => await tabNamed('two.ts'));
      window = first;
      await until(async () => await tabNamed('two.ts'));
      await window.command('hawser.show');
      await until(async () => (await tabNamed('two.ts'))?.isActive);
      await focus();
      await press('Control+Enter');
      expect(await outcome).toEqual(['FILE_SAVED', NEW]);
      await until(async () => (await tabNamed('two.ts')) === undefined);
      window = second;
      await until(async () => (await tabNamed('two.ts')) === undefined);
      expect(JSON.parse(await hawser('status', '--json')).proposals).toBe(0);
    } finally {
      window = first;
      await second.endHost();
    }
  });
});
