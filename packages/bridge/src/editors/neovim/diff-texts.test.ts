import { describe, expect, test } from 'vitest';
import { DiffNvim } from '../../../testing/neovim/diff-nvim.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';

const BOM = '\xef\xbb\xbf';

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
  ['invalid UTF-8', 'caf\xe9\n\xff\xfe\n', 'caf\xe9!\n\xff\xfe\n'],
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

describe.each(neovims)('the texts of diff views in Neovim $version', { timeout: 30_000 }, (neovim) => {
  test.each(['split', 'inline'] as const)(
    'a proposal accepted unedited is the exact proposed text, %s',
    async (layout) => {
      const nvim = await DiffNvim.start(neovim);
      for (const [fact, old, proposed] of exact) {
        await nvim.show({ id: fact, ...(old !== undefined && { old }), new: proposed, layout });
        await nvim.call('accept');
      }
      expect(await nvim.decisions(exact.length)).toEqual(
        exact.map(([fact, , proposed]) => [fact, 'accepted', proposed]),
      );
    },
  );

  test('a proposal whose hunks are all rejected one by one is rejected', async () => {
    const nvim = await DiffNvim.start(neovim);
    const differing = exact.filter(([, old, proposed]) => (old ?? '') !== proposed);
    for (const [fact, old, proposed] of differing) {
      await nvim.show({ id: fact, ...(old !== undefined && { old }), new: proposed });
      await nvim.lua(`local diff = require('hawser.diff')
        for _ = 1, 9 do if #diff.pending() > 0 then diff.reject_hunk() end end`);
    }
    expect(await nvim.decisions(differing.length)).toEqual(differing.map(([fact]) => [fact, 'rejected']));
  });

  test('a proposal whose hunks are all accepted one by one is the exact proposed text', async () => {
    const nvim = await DiffNvim.start(neovim);
    const differing = exact.filter(([, old, proposed]) => (old ?? '') !== proposed);
    for (const [fact, old, proposed] of differing) {
      await nvim.show({ id: fact, ...(old !== undefined && { old }), new: proposed });
      await nvim.lua(`local diff = require('hawser.diff')
        for _ = 1, 9 do if #diff.pending() > 0 then diff.accept_hunk() end end`);
    }
    expect(await nvim.decisions(differing.length)).toEqual(
      differing.map(([fact, , proposed]) => [fact, 'accepted', proposed]),
    );
  });

  const old = 'one\ntwo\r\nthree\nfour\0\nfive\nsix\nseven\neight';
  const proposed = 'zero\none\ntwo\r\nTHREE\nfour\0\nsix\nseven\xff\neight\nnine\n';
  const pieces: [old: string, proposed: string][] = [
    ['', 'zero\n'],
    ['one\ntwo\r\n', 'one\ntwo\r\n'],
    ['three\n', 'THREE\n'],
    ['four\0\n', 'four\0\n'],
    ['five\n', ''],
    ['six\n', 'six\n'],
    ['seven\neight', 'seven\xff\neight\nnine\n'],
  ];
  const hunks = [
    [1, 0, 1, 1],
    [3, 1, 4, 1],
    [5, 1, 6, 0],
    [7, 2, 7, 3],
  ];

  test.each(['split', 'inline'] as const)(
    'each hunk gives the old text or the new one, as decided, %s',
    async (layout) => {
      expect([pieces.map(([one]) => one).join(''), pieces.map(([, one]) => one).join('')]).toEqual([old, proposed]);
      const nvim = await DiffNvim.start(neovim);
      for (let accepted = 1; accepted < 16; accepted += 1) {
        await nvim.show({ id: `${accepted}`, old, new: proposed, hunks, layout });
        for (let hunk = 0; hunk < 4; hunk += 1) await nvim.call(accepted & (1 << hunk) ? 'accept_hunk' : 'reject_hunk');
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

  test('a hunk that leaves one empty line leaves just that', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'x\n\n', new: '\na\nb\n' });
    await nvim.call('accept_hunk');
    await nvim.call('reject_hunk');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', '\n']]);
  });

  test('any texts, any decisions about their hunks in any order: exactly the old lines or the new ones', async () => {
    const nvim = await DiffNvim.start(neovim);
    const chance = new Chance(20260727);
    for (let round = 0; round < 300; round += 1) {
      const before = chance.text();
      const after = chance.pick([chance.text(), chance.change(before)]);
      const order = Array.from({ length: 40 }, () => chance.below(1000));
      const [found, texts, settled] = (await nvim.lua(SETTLE, hex(before), hex(after), order)) as Settled;
      const [oldLines, newLines] = [linesOf(before), linesOf(after)];
      let expected = '';
      let at = 0;
      for (const [index, [oldStart, oldCount, newStart, newCount]] of found.entries()) {
        const isAccepted = (order[index] ?? 0) % 2 === 0;
        expected += oldLines.slice(at, oldStart - 1).join('');
        expected += isAccepted
          ? newLines.slice(newStart - 1, newStart - 1 + newCount).join('')
          : oldLines.slice(oldStart - 1, oldStart - 1 + oldCount).join('');
        at = oldStart - 1 + oldCount;
      }
      expected += oldLines.slice(at).join('');
      expect([texts, settled]).toEqual([[before, after].map(hex), hex(expected)]);
    }
  });

  test('hunks that do not fit the texts are found anew', async () => {
    const nvim = await DiffNvim.start(neovim);
    for (const [index, wrong] of [
      [[9, 1, 9, 1]],
      [[1, 1, 1, 1]],
      [[2, 1, 2, 5]],
      [[0, 0, 0, 0]],
      [['x', 1, 2, 3]],
    ].entries()) {
      await nvim.show({ id: `${index}`, old: 'a\nb\nc\n', new: 'a\nB\nc\n', hunks: wrong as number[][] });
      await nvim.call('accept_hunk');
      expect((await nvim.decisions(index + 1)).at(-1)).toEqual([`${index}`, 'accepted', 'a\nB\nc\n']);
    }
  });

  test('rejected hunks go and the rest is accepted with all', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\n', new: 'A\nb\nC\n' });
    await nvim.call('reject_hunk');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'a\nb\nC\n']]);
  });

  test('what the user makes of the proposal is accepted, with the line ends of the file', async () => {
    const nvim = await DiffNvim.start(neovim);
    const edited: [old: string, proposed: string, result: string][] = [
      ['a\r\nb\r\n', 'a\r\nB\r\n', 'a\r\nmine\r\nB\r\n'],
      ['a\nb', 'a\nB', 'a\nmine\nB'],
      [`${BOM}a\nb\n`, `${BOM}a\nB\n`, `${BOM}a\nmine\nB\n`],
      ['\xff\nb\n', '\xff\nB\n', '\xff\nmine\nB\n'],
    ];
    for (const [index, [before, after, result]] of edited.entries()) {
      await nvim.show({ id: `${index}`, old: before, new: after });
      await nvim.type('Omine<Esc>');
      await nvim.call('accept');
      expect((await nvim.decisions(index + 1)).at(-1)).toEqual([`${index}`, 'accepted', result]);
    }
  });

  test('a BOM stays when the first line goes', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: `${BOM}a\nb\n`, new: `${BOM}a\nB\n` });
    await nvim.type('ggdd');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', `${BOM}B\n`]]);
  });

  test('a proposal that the user emptied is accepted as an empty text', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\n', new: 'b\n' });
    await nvim.type('ggdG');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', '']]);
  });

  test('an edit can be undone down to the proposal and not further', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\n', new: 'a\nB\n' });
    await nvim.type('ddOmine<Esc>uuuuu');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'a\nB\n']]);
  });

  test('a rejected hunk comes back with undo, and hunks follow an edit', async () => {
    const nvim = await DiffNvim.start(neovim);
    await nvim.show({ old: 'a\nb\nc\n', new: 'A\nb\nC\n', layout: 'inline' });
    await nvim.call('reject_hunk');
    await nvim.type('uggOtop<Esc>G');
    await nvim.call('reject_hunk');
    await nvim.call('accept');
    expect(await nvim.decisions()).toEqual([['p', 'accepted', 'top\nA\nb\nc\n']]);
  });
});

type Settled = [hunks: [number, number, number, number][], texts: string[], settled: string];

/** Decides about each hunk as the numbers say (an even one accepts), in the order of the numbers. */
const SETTLE = `
  local old, new, numbers = unhex(select(1, ...)), unhex(select(2, ...)), select(3, ...)
  local buffers = require('hawser.diff.buffers')
  local pair = buffers.create({ id = 'any', path = '/tmp/any', old = old, new = new })
  local hunks = vim.deepcopy(pair.hunks)
  local texts = { hex(buffers.text(pair, 'old')), hex(buffers.text(pair, 'new')) }
  local left = {}
  for index = 1, #hunks do left[index] = index end
  while #left > 0 do
    local best = 1
    for place = 2, #left do if numbers[left[place]] < numbers[left[best]] then best = place end end
    buffers.settle_hunk(pair, best, numbers[left[best]] % 2 == 0 and 'new' or 'old')
    table.remove(left, best)
  end
  local settled = hex(buffers.text(pair, 'new'))
  vim.api.nvim_buf_delete(pair.old, { force = true })
  vim.api.nvim_buf_delete(pair.new, { force = true })
  return { hunks, texts, settled }`;

function hex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

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
      ['a', 'b', '\n', '\n', '\r\n', '\r', '\0', '\xff'],
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
