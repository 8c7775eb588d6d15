import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { User } from '../user.ts';
import { until } from '../workbench.ts';

/** What agents get from the window, and how they are started there. */
export function testAgents(get: () => User, programs: string): void {
  it('are told what the user selects with keys', async () => {
    const user = get();
    const path = await user.opensFile('selected.ts', 'const one = 1;\n');
    const selected = user.agent.notification('selection_changed', ({ text }) => text === 'const one');
    await user.press('Home', 'Control+Shift+ArrowRight', 'Control+Shift+ArrowRight');
    expect(await selected).toMatchObject({ filePath: path });
  });

  it('get the problems that TypeScript finds in unsaved text', async () => {
    const user = get();
    const path = await user.opensFile('problem.ts', 'export const n: number = 1;\n');
    await user.press('End');
    await user.type(' n = "text";');
    const found = await until(async () => {
      const list = JSON.stringify(await user.agent.callJson('getDiagnostics', { uri: `file://${path}` }));
      return list.includes('number') || list.includes('constant') ? list : undefined;
    });
    expect(found).toContain('problem.ts');
    await user.window.command('workbench.action.files.revert');
  });

  it('are sent what the user has selected, by Ctrl+Alt+K', async () => {
    const user = get();
    const path = await user.opensFile('mentioned.ts', 'one\ntwo\n');
    const mentioned = user.agent.notification('at_mentioned');
    await user.press('Control+KeyA', 'Control+Alt+KeyK');
    expect(await mentioned).toMatchObject({ filePath: path, lineStart: 0 });
  });

  it.for(['command', 'terminal profile'])(
    'are started by hawser run through a %s, with the variables of the bridge',
    async (way) => {
      const user = get();
      const started = join(programs, 'started');
      rmSync(started, { force: true });
      if (way === 'command') {
        await user.window.command('hawser.start.claude-code');
        await until(async () => await user.tab('Claude Code'));
      } else {
        const choice = (text: string) => user.window.page.locator('.quick-input-list-row', { hasText: text }).first();
        // It ends with the choice of the user.
        void user.window.command('workbench.action.terminal.newWithProfile');
        await choice('Agent (Hawser)').click();
        await choice('Claude Code').click();
      }
      const { port } = new URL((await user.adapter('claude-code')).endpoints[0] as string);
      const text = await until(() => existsSync(started) && readFileSync(started, 'utf8'));
      expect(text).toBe(`port ${port} electron []\n`);
      await user.window.run((api) => api.window.terminals[0]?.dispose());
    },
  );

  it('that do not connect are explained by hawser doctor', async () => {
    const user = get();
    await user.window.command('hawser.doctor');
    await until(async () => (await user.activeText())?.includes('Claude Code'));
  });
}
