import { applyHunks, hunksOf } from '@hawser/diffs/hunks';
import { describe, expect, test } from 'vitest';
import { BARS, DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';

const BOM = '\u{feff}';

const exact: [fact: string, old: string | undefined, proposed: string][] = [
  ['plain lines', 'a\nb\n', 'a\nB\n'],
  ['CRLF', 'a\r\nb\r\n', 'a\r\nB\r\nc\r\n'],
  ['CRLF that becomes LF', 'a\r\nb\r\n', 'a\nb\n'],
  ['LF that becomes CRLF', 'a\nb\n', 'a\r\nb\r\n'],
  ['mixed line ends', 'a\r\nb\nc\r\n', 'a\r\nB\nc\n\r\n'],
  ['lone carriage returns', 'a\rb\r\r\nc\r', 'a\rB\r\r\nc\r'],
  ['no final newline', 'a\nb', 'a\nB'],
  ['a final newline that goes', 'a\nb\n', 'a\nb'],
  ['a final newline that comes', 'a\nb', 'a\nb\n'],
  ['CRLF without a final line end', 'a\r\nb', 'a\r\nB'],
  ['a BOM on both sides', `${BOM}a\n`, `${BOM}b\n`],
  ['a BOM that goes', `${BOM}a\n`, 'a\n'],
  ['a BOM that comes', 'a\n', `${BOM}a\n`],
  ['nothing but a BOM', `${BOM}a\n`, BOM],
  ['nothing but a BOM that comes', '', BOM],
  ['nothing but a BOM that goes', BOM, ''],
  ['NUL bytes', 'a\0b\n\0\n', 'a\0c\n\0\n'],
  ['more than ASCII', 'caf\u00e9\n\u{1f600}\n', 'caf\u00e9!\n\u{1f600}\n'],
  ['a new file', undefined, 'a\nb\n'],
  ['a new file without a final newline', undefined, 'a'],
  ['a new file that is empty', undefined, ''],
  ['a new file of one empty line', undefined, '\n'],
  ['a text that is emptied', 'a\nb\n', ''],
  ['one empty line that goes', '\n', ''],
  ['one empty line that comes', '', '\n'],
  ['empty lines at the end', 'a\n', 'a\n\n\n'],
  ['nothing that differs', 'a\n', 'a\n'],
];

/** What the user does: keys, or actions by their names. */
const made: [fact: string, texts: Parameters<DiffNvim['show']>[0], steps: readonly string[], result: string][] = [
  [
    'a hunk that leaves one empty line leaves just that',
    { old: 'x\n\n', new: '\na\nb\n' },
    ['accept_hunk', 'reject_hunk'],
    '\n',
  ],
  [
    'rejected hunks go and the rest is accepted with all',
    { old: 'a\nb\nc\n', new: 'A\nb\nC\n' },
    ['reject_hunk'],
    'a\nb\nC\n',
  ],
  [
    'what is typed has CRLF where the file has it',
    { old: 'a\r\nb\r\n', new: 'a\r\nB\r\n' },
    ['Omine<Esc>'],
    'a\r\nmine\r\nB\r\n',
  ],
  ['what is typed leaves the end without a newline', { old: 'a\nb', new: 'a\nB' }, ['Omine<Esc>'], 'a\nmine\nB'],
  ['what is typed leaves the BOM', { old: `${BOM}a\nb\n`, new: `${BOM}a\nB\n` }, ['Omine<Esc>'], `${BOM}a\nmine\nB\n`],
  [
    'what is typed is beside more than ASCII',
    { old: '\u00ff\nb\n', new: '\u00ff\nB\n' },
    ['Omine<Esc>'],
    '\u00ff\nmine\nB\n',
  ],
  ['a BOM stays when the first line goes', { old: `${BOM}a\nb\n`, new: `${BOM}a\nB\n` }, ['ggdd'], `${BOM}B\n`],
  ['a proposal that the user emptied is accepted as an empty text', { old: 'a\n', new: 'b\n' }, ['ggdG'], ''],
  [
    'an edit can be undone down to the proposal and not further',
    { old: 'a\nb\n', new: 'a\nB\n' },
    ['ddOmine<Esc>uuuuu'],
    'a\nB\n',
  ],
  [
    'a rejected hunk comes back with u, and hunks follow an edit',
    { layout: 'inline', old: 'a\nb\nc\n', new: 'A\nb\nC\n' },
    ['reject_hunk', 'uggOtop<Esc>G', 'reject_hunk'],
    'top\nA\nb\nc\n',
  ],
];

describe.each(neovims)('the texts of diff views in Neovim %s', (neovim) => {
  test.each(['split', 'inline'] as const)(
    'a proposal accepted unedited is the exact proposed text, %s',
    async (layout) => {
      const nvim = await DiffNvim.start(neovim, { layout });
      for (const [fact, old, proposed] of exact) {
        await nvim.show({ id: fact, ...(old !== undefined && { old }), new: proposed });
        await nvim.call('accept');
      }
      expect(await nvim.decisions(exact.length)).toEqual(
        exact.map(([fact, old, proposed]) => (old === proposed ? [fact, 'rejected'] : [fact, 'accepted', proposed])),
      );
    },
  );

  test('a proposal whose hunks are all rejected is rejected, and all accepted are the exact proposed text', async () => {
    const nvim = await DiffNvim.start(neovim);
    const differing = exact.filter(([, old, proposed]) => (old ?? '') !== proposed);
    for (const choice of ['reject_hunk', 'accept_hunk']) {
      for (const [fact, old, proposed] of differing) {
        await nvim.show({ id: `${choice} ${fact}`, ...(old !== undefined && { old }), new: proposed });
        await nvim.lua(`for _ = 1, 9 do require('hawser.diff.actions').${choice}() end`);
        await nvim.call('accept');
      }
    }
    expect(await nvim.decisions(2 * differing.length)).toEqual([
      ...differing.map(([fact]) => [`reject_hunk ${fact}`, 'rejected']),
      ...differing.map(([fact, , proposed]) => [`accept_hunk ${fact}`, 'accepted', proposed]),
    ]);
  });

  const old = 'one\ntwo\r\nthree\nfour\0\nfive\nsix\nseven\neight';
  const proposed = 'zero\none\ntwo\r\nTHREE\nfour\0\nsix\nseven\u00ff\neight\nnine\n';
  const pieces: [old: string, proposed: string][] = [
    ['', 'zero\n'],
    ['one\ntwo\r\n', 'one\ntwo\r\n'],
    ['three\n', 'THREE\n'],
    ['four\0\n', 'four\0\n'],
    ['five\n', ''],
    ['six\n', 'six\n'],
    ['seven\neight', 'seven\u00ff\neight\nnine\n'],
  ];

  test.each(['split', 'inline'] as const)(
    'each hunk gives the old text or the new one, as chosen, %s',
    async (layout) => {
      expect([pieces.map(([one]) => one).join(''), pieces.map(([, one]) => one).join('')]).toEqual([old, proposed]);
      const nvim = await DiffNvim.start(neovim, { layout });
      for (let accepted = 1; accepted < 16; accepted += 1) {
        await nvim.show({ id: `${accepted}`, old, new: proposed });
        for (let hunk = 0; hunk < 4; hunk += 1) await nvim.call(accepted & (1 << hunk) ? 'accept_hunk' : 'reject_hunk');
        await nvim.call('accept');
        let hunk = 0;
        const expected = pieces.map(([before, after]) => {
          if (before === after) return before;
          const isAccepted = accepted & (1 << hunk);
          hunk += 1;
          return isAccepted ? after : before;
        });
        expect((await nvim.decisions(accepted)).at(-1)).toEqual([`${accepted}`, 'accepted', expected.join('')]);
      }
    },
  );

  test('any texts, any choices about their hunks: exactly the old lines or the new ones', async () => {
    const nvim = await DiffNvim.start(neovim);
    const chance = new Chance(20260727);
    let count = 0;
    for (let round = 0; round < 150; round += 1) {
      const before = chance.text();
      const after = chance.pick([chance.text(), chance.change(before)]);
      const hunks = hunksOf(before, after);
      const accepted = new Set([...hunks.keys()].filter(() => chance.below(2) === 0));
      const expected = applyHunks(before, hunks, accepted);
      if (accepted.size === 0) continue;
      count += 1;
      await nvim.show({ id: `${round}`, old: before, new: after });
      await nvim.lua(
        `local diff = require('hawser.diff.actions')
         for _, choice in ipairs(...) do diff[choice .. '_hunk']() end
         diff.accept()`,
        [...hunks.keys()].map((index) => (accepted.has(index) ? 'accept' : 'reject')),
      );
      expect((await nvim.decisions(count)).at(-1)).toEqual([`${round}`, 'accepted', expected]);
    }
  });

  test('what the user makes of the proposal is accepted', async () => {
    const nvim = await DiffNvim.start(neovim);
    for (const [fact, texts, steps] of made) {
      await nvim.show({ id: fact, ...texts });
      for (const step of steps) await (step.endsWith('_hunk') ? nvim.call(step) : nvim.type(step));
      await nvim.call('accept');
    }
    expect(await nvim.decisions(made.length)).toEqual(made.map(([fact, , , result]) => [fact, 'accepted', result]));
  });

  test('u takes back choices and edits in the order they were made', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\nd\ne\n', new: 'A\nb\nC\nd\nE\n' });
    const state = async () => {
      await nvim.settle();
      return await nvim.lua(CHOICES);
    };
    await nvim.type('\\aH');
    await nvim.type('\\ah');
    expect(await state()).toEqual(['A b C d E', 'rejected accepted ']);
    await nvim.type('Gx');
    expect(await state()).toEqual(['A b C d ', 'rejected accepted ']);
    await nvim.type('u');
    expect(await state()).toEqual(['A b C d E', 'rejected accepted ']);
    await nvim.type('u');
    expect(await state()).toEqual(['A b C d E', 'rejected  ']);
    await nvim.type('u');
    expect(await state()).toEqual(['A b C d E', '  ']);
    await nvim.type('u');
    expect(await state()).toEqual(['A b C d E', '  ']);
  });

  test('a proposal that could not be written is open again, and nobody is told that its file has changed', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\n', new: 'a\nB\n' });
    await nvim.lua("require('hawser.diff').find('p').is_deciding = true");
    await nvim.progress('p', { kind: 'failed', reason: 'the disk is full', text: 'a\nBe\n' });
    expect([await nvim.messages(), await nvim.states()]).toEqual(['', ['p shown']]);
    expect(await nvim.lua(SIDES)).toEqual(['a b', 'a Be']);
    expect(await nvim.lua(BARS)).toContain('not written: the disk is full');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'a\nBe\n']]);
  });

  test('a file that changes under a proposal is merged on the screen, marked, and no blind accept counts', async () => {
    const nvim = await DiffNvim.start(neovim, { setup: '{ idle = 0, grace = 1500 }' });
    await nvim.show({ old: 'a\nb\nc\n', new: 'A\nb\nc\n' });
    await nvim.until('return vim.bo.modifiable');
    await nvim.refresh('p', { oldText: 'a\nb\nC\n', newText: 'A\nb\nC\n', base: 'merged' });
    await nvim.type('ZZ');
    expect(await nvim.decisionsSoFar()).toEqual([]);
    expect(await nvim.lua(SIDES)).toEqual(['a b C', 'A b C']);
    expect(await nvim.lua(BARS)).toContain('changed on disk, merged');
    expect(await nvim.messages()).toContain('Hawser: tmp/a.txt changed on disk; look at the proposal again');
    await nvim.until('return vim.bo.modifiable');
    await nvim.type('ZZ');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'A\nb\nC\n']]);
  });

  test('what the user made of a proposal is merged with a file that changes, and kept where it cannot be', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\nd\n', new: 'A\nb\nc\nd\n' });
    await nvim.type('ggimy <Esc>');
    await nvim.settle();
    await nvim.refresh('p', { oldText: 'a\nb\nc\nD\n', newText: 'A\nb\nc\nD\n', base: 'merged' });
    expect(await nvim.lua(SIDES)).toEqual(['a b c D', 'my A b c D']);
    await nvim.refresh('p', { oldText: 'x\nb\nc\nD\n', base: 'conflict' });
    expect(await nvim.lua(SIDES)).toEqual(['x b c D', 'my A b c D']);
    expect(await nvim.lua(BARS)).toContain('changed on disk: CONFLICT');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'my A\nb\nc\nD\n']]);
  });
});

/** The lines of the new side, and the choices about its hunks. */
const CHOICES = `
  local view = require('hawser.diff').find(require('hawser.diff').pending()[1].id).view
  local lines = vim.api.nvim_buf_get_lines(view.pair.new, 0, -1, false)
  return { table.concat(lines, ' '), (table.concat(view.pair.choices, ' '):gsub('undecided', '')) }`;

const SIDES = `
  local view = require('hawser.diff').find(require('hawser.diff').pending()[1].id).view
  return vim.tbl_map(function(side)
    return table.concat(vim.api.nvim_buf_get_lines(view.pair[side], 0, -1, false), ' ')
  end, { 'old', 'new' })`;

/** The same texts in every run. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  text(): string {
    const atoms = this.pick([
      ['a', 'b', '\n', '\n', '\r\n', '\r', '\0', '\u00ff'],
      ['a', 'b', '\r\n', '\r\n', '\r'],
    ]);
    return Array.from({ length: this.below(16) }, () => this.pick(atoms)).join('');
  }

  change(text: string): string {
    return Array.from(text, (character) =>
      this.pick(['', `x${character}`, `${character}\n`, ...Array(9).fill(character)]),
    ).join('');
  }
}
