import { describe, expect, test } from 'vitest';
import { Screen } from '../../../testing/neovim/diff-screen.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';

const file = 'first\nhello\nthird\nfourth\nlast\n';
const proposal = 'first\ngood day\nthird\nfourth\nvery last\n';
const keys = /1 of 2 {2}\\aa accept {2}\\ad reject( {2}\\ah accept hunk {2}\\aH reject hunk| {2}\\ah\/\\aH hunk)?/;

describe.each(neovims)('diff views on the screen of Neovim %s', (neovim) => {
  const looks: [layout: 'split' | 'tab' | 'inline', sight: RegExp][] = [
    ['split', /2 hello +│ +2 good day/],
    ['tab', /2 hello +│ +2 good day/],
    ['inline', /first\n +hello\n +2 good day\n/],
  ];

  test.each(looks)('%s: both texts and the keys are seen, and the screen comes back', async (layout, sight) => {
    const screen = await Screen.start(neovim, { file, proposal, layout });
    await screen.press(':set number', 'Enter', '3G');
    const before = await screen.shows((text) => /3 third/.test(text) && / 3,1 /.test(text));
    await screen.propose();
    const shown = await screen.shows(keys);
    expect(shown).toMatch(sight);
    expect(shown).toMatch(/file\.txt · Claude Code/);
    await screen.press('\\aH', '\\aa');
    expect(await screen.decision()).toBe('accepted\nfirst\nhello\nthird\nfourth\nvery last\n');
    expect(withoutLastLine(await screen.shows((text) => !/\\aa accept/.test(text)))).toBe(withoutLastLine(before));
  });

  test('side by side: what goes from above the first line is seen', async () => {
    const screen = await Screen.start(neovim, { file: 'one\ntwo\nthree\n', proposal: 'three\n', layout: 'split' });
    await screen.propose();
    await screen.shows(/\n\s*one +│ *-+\n\s*two +│ *-+\n\s*three +│ *three/);
    await screen.press('ZZ');
    expect(await screen.decision()).toBe('accepted\nthree\n');
  });

  test('inline: what goes from above the first line is seen', async () => {
    const screen = await Screen.start(neovim, { file: 'one\ntwo\nthree\n', proposal: 'three\n', layout: 'inline' });
    await screen.propose();
    const sight = (text: string) => /\none *\ntwo *\nthree *\n/.test(text.slice(text.indexOf('file.txt')));
    await screen.shows(sight);
    await screen.press('G', 'C-e', 'C-e', 'C-e');
    await screen.shows((text) => !sight(text));
    await screen.press('o', 'Escape', 'gg');
    await screen.shows(sight);
    await screen.press('u');
    await screen.press('ZZ');
    expect(await screen.decision()).toBe('accepted\nthree\n');
  });

  test('a user who types in insert mode goes on typing, and sees the proposal afterwards', async () => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'split' });
    await screen.press('O', 'I am ');
    await screen.shows('I am');
    await screen.propose();
    await screen.shows('is shown when you are back in normal mode');
    await screen.press('typing');
    expect(await screen.shows('I am typing')).not.toMatch(keys);
    await screen.press('Escape');
    await screen.shows(keys);
    await screen.press(':q', 'Enter');
    expect(await screen.decision()).toBe('rejected\n');
  });

  test('a prompt that waits for Enter holds a proposal up and nothing hangs', async () => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'inline' });
    await screen.press(':echo "one\\ntwo\\nthree"', 'Enter');
    await screen.shows('Press ENTER');
    const taken = screen.propose();
    await screen.press('Enter');
    await taken;
    await screen.shows(keys);
    await screen.press('\\aa');
    expect(await screen.decision()).toBe(`accepted\n${proposal}`);
  });

  test('a user in a terminal sees the proposal at once, goes on typing there, and comes back after the decision', async () => {
    const screen = await Screen.start(neovim, { file, proposal, layout: 'split' });
    await screen.press(':botright 30vsplit | terminal cat', 'Enter', 'i', 'to the program');
    await screen.shows('to the program');
    await screen.propose();
    await screen.shows((text) => /hello *│ *good day/.test(text) && text.includes('<C-\\><C-n> goes to the proposal'));
    await screen.press(' and more');
    await screen.shows('and more');
    await screen.press('C-\\', 'C-n');
    await screen.shows((text) => keys.test(text) && !text.includes('goes to the proposal'));
    await screen.press('ZZ');
    expect(await screen.decision()).toBe(`accepted\n${proposal}`);
    await screen.shows((text) => !keys.test(text) && text.includes('-- TERMINAL --'));
    await screen.press(' still');
    await screen.shows('still');
  });
});

/** Messages and the keys of a command stay there. */
function withoutLastLine(screen: string): string {
  return screen.split('\n').slice(0, 29).join('\n');
}
