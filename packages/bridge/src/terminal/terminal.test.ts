import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryHousehold } from '../../testing/program.ts';
import { shellLine, type TmuxScreen } from '../../testing/tmux.ts';

/** A program of its own that takes the terminal over, in a real one. */
async function run(afterEntering: string): Promise<TmuxScreen> {
  const module = JSON.stringify(fileURLToPath(new URL('terminal.ts', import.meta.url)));
  const house = temporaryHousehold();
  const [source, program] = [join(house.home, 'program.ts'), join(house.home, 'program.mjs')];
  writeFileSync(
    source,
    `import { Terminal } from ${module};
     const terminal = new Terminal({ input: process.stdin, output: process.stdout, colours: '16' });
     terminal.enter({ key: (key) => pressed(key), paste: () => {}, mouse: () => {}, resized: () => {}, gone: () => {} });
     terminal.draw([[{ text: 'taken over' }]]);
     const pressed = (key) => { ${afterEntering} };`,
  );
  await build({
    entryPoints: [source],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@hawser/source'],
  });
  const screen = await house.screen(shellLine([process.execPath, program]));
  await screen.shows('taken over');
  return screen;
}

describe('Terminal', () => {
  it.each([
    ['a crash', 'throw new Error("the problem")', 'ended 1'],
    ['an unhandled rejection', 'Promise.reject(new Error("the problem"))', 'ended 1'],
    ['an end at once', 'process.exit(5)', 'ended 5'],
  ])('%s gives the terminal back, and what is printed then stays', async (_how, code, ending) => {
    const view = await run(code);
    expect(await view.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('1 0 0');
    await view.press('x');
    const text = await view.shows(ending);
    if (ending === 'ended 1') expect(text).toContain('the problem');
    expect(text).not.toContain('taken over');
    expect(await view.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
    // Back in its usual mode the terminal itself shows what is typed.
    await view.press('typed');
    await view.shows('typed');
  });

  it('no text is drawn that the terminal would obey', async () => {
    const view = await run(`terminal.draw([[{ text: 'key ' + key + '\\x1b[2J\\x1b]0;owned\\x07' }]])`);
    await view.press('x');
    await view.shows('key x^[[2J^[]0;owned^G');
    expect(await view.ask('#{pane_title}')).not.toBe('owned');
    await view.press('Up');
    await view.shows('key up^[[2J');
  });
});
