import { describe, expect, test } from 'vitest';
import { Screen } from '../../../testing/neovim/diff-screen.ts';
import { everyNeovim, isAtLeast } from '../../../testing/neovim/neovims.ts';

const long = 'export const sum = (items) => items.map((item) => item.price).filter(Boolean).length';
const file = `${['first', `${long} + 0`, ...Array.from({ length: 60 }, (_, index) => `line ${index}`), `${long} + 1`].join('\n')}\n`;
const proposal = file.replace(`${long} + 0`, `${long} * 2`).replace(`${long} + 1`, `${long} * 3`);

/** As `:Hawser agent` opens it. */
const AGENT = ':execute "botright " . (&columns * 2 / 5) . "vsplit" | terminal cat';

describe.each(everyNeovim)('a proposal by the room there is, in Neovim %s', (neovim) => {
  const sizes: [columns: number, rows: number][] = [
    [80, 24],
    [160, 45],
    [220, 50],
  ];

  test.each(sizes)('at %i×%i with an agent beside it is inline and takes the whole column', async (columns, rows) => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'auto', columns, rows });
    await screen.press(AGENT, 'Enter', 'i', 'to the agent');
    await screen.shows('to the agent');
    await screen.propose();
    const shown = await screen.shows('\\aa accept  \\ad reject  \\ah');
    const lines = shown.split('\n').map((line) => line.slice(0, columns - Math.floor((columns * 2) / 5) - 1));
    // The file keeps its status line, and the bar is above the text or, before 0.8, below.
    expect(lines[0]).toMatch(/^file\.txt /);
    const [bar, first] = isAtLeast(neovim, 0, 8) ? [1, 2] : [rows - 2, 1];
    expect(lines[bar]).toContain('1 of 2  \\aa accept');
    expect(lines[first]).toMatch(/^first/);
    const text = lines.join('').replaceAll(' ', '');
    expect(text).toContain(`${long} + 0`.replaceAll(' ', ''));
    expect(text).toContain(`${long} * 2`.replaceAll(' ', ''));
    await screen.press('C-\\', 'C-n');
    await screen.shows((text) => !text.includes('goes to the proposal'));
    await screen.press('\\ah');
    // The next hunk, from the start of its lines.
    await screen.shows((text) => text.includes('2 of 2') && /^export const sum/m.test(text));
    await screen.press('ZZ');
    expect(await screen.decision()).toBe(`accepted\n${proposal}`);
    await screen.shows((text) => text.includes('-- TERMINAL --') && /^first/.test(text));
  });

  test('at 220 columns without an agent it is side by side, from the start of the lines', async () => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'auto', columns: 220, rows: 50 });
    await screen.propose();
    const shown = await screen.shows('hunk 1 of 2  \\aa accept  \\ad reject  \\ah accept hunk  \\aH reject hunk');
    expect(shown.split('\n').find((line) => line.includes('* 2'))).toMatch(
      /^ *export const sum.* \+ 0 +│ *export const sum.* \* 2/,
    );
    await screen.press('\\ah');
    await screen.shows(
      (text) => text.includes('hunk 2 of 2, 1 accepted') && /^ *export const sum.* \+ 1 +│ *export/m.test(text),
    );
    await screen.press('ZQ');
    expect(await screen.decision()).toBe('rejected\n');
  });

  test('a wider screen has the removed lines wrapped anew', async () => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'inline', columns: 60, rows: 24 });
    await screen.propose();
    await screen.shows((text) => text.includes(`${long.slice(0, 60)}\n${long.slice(60)} + 0`));
    await screen.resize(120, 24);
    await screen.shows((text) => text.includes(`${long} + 0\n${long} * 2`));
    await screen.press('ZQ');
    expect(await screen.decision()).toBe('rejected\n');
  });
});
