import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../mcp/testing/processor-time.ts';
import { isPrintable } from './glyphs.ts';
import { clip, clipStart, escaped, Wrapping, widthOf, wrap } from './wrapping.ts';

/** What a terminal would obey, or what turns or hides the text around it. */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What joins and varies pictures, where it does. */
const JOINED = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|[0-9#*])[\u200d\ufe0f]/gu;

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({
    unit: fc.constantFrom(
      '\x1b',
      '[',
      '2',
      'J',
      '\r',
      '\x9b',
      '\t',
      '漢',
      '😀',
      'e',
      '\u0301',
      '\u202e',
      'a',
      '👨',
      '\u200d',
      '👩',
      '\ufe0f',
      '1',
      '\u20e3',
      '🏽',
      '🇩',
      '🇪',
    ),
  }),
);

describe('wrap', () => {
  it('shows plain text as it is, in rows that are full', () => {
    expect(wrap('abcdefghijklmnop', 10)).toEqual([
      [{ text: 'abcdefghij', isEscape: false, at: 0 }],
      [{ text: 'klmnop', isEscape: false, at: 10 }],
    ]);
    expect(wrap('', 10)).toEqual([[]]);
  });

  it.each([
    ['a sequence that clears a screen', '\x1b[2J', '^[[2J'],
    ['the same in one character', '\x9b2J', '<9B>2J'],
    ['a carriage return that would overwrite the line', 'safe\rrm', 'safe^Mrm'],
    ['delete', '\x7f', '^?'],
    ['text that turns its direction', 'a\u202eb\u202c', 'a<202E>b<202C>'],
    ['a space of no width', 'a\u200bb', 'a<200B>b'],
    ['a space that is no space', 'a\u00a0b', 'a<A0>b'],
    ['a letter that cannot be seen', 'a\u3164b', 'a<3164>b'],
    ['half a character', 'a\ud800b', 'a<D800>b'],
    ['a line separator', 'a\u2028b', 'a<2028>b'],
    ['a mark without a letter', '\u0301', '<301>'],
  ])('escapes %s', (_what, text, shown) => {
    expect(escaped(text)).toBe(shown);
  });

  it('keeps a mark with its letter, and escapes more than a language needs', () => {
    expect(escaped('e\u0301')).toBe('e\u0301');
    expect(escaped(`e${'\u0301'.repeat(10)}`)).toBe(`e${'\u0301'.repeat(8)}<301><301>`);
  });

  it('a tab goes to the next eighth column', () => {
    expect(escaped('a\tb\t\tc')).toBe('a       b               c');
  });

  it('a wide character takes two columns and is never cut', () => {
    expect(widthOf('漢字😀한ｅ')).toBe(10);
    expect(wrap('a漢字漢字漢字', 8).map((row) => row.map(({ text }) => text).join(''))).toEqual(['a漢字漢', '字漢字']);
  });

  it.each([
    ['a family', '👨‍👩‍👧‍👦'],
    ['a colour of skin', '👍🏽'],
    ['a flag', '🇩🇪'],
    ['a picture in colour', '❤️'],
    ['a key', '1️⃣'],
    ['a woman who works', '👩🏾‍💻'],
  ])('%s stays together and takes two columns', (_what, emoji) => {
    expect(escaped(`a${emoji}b`)).toBe(`a${emoji}b`);
    expect(widthOf(`${emoji}`)).toBe(2);
    expect(clip(`漢${emoji}${emoji}`, 5)).toBe(`漢${emoji}…`);
    expect(clipStart(`${emoji}${emoji}漢`, 5)).toBe(`…${emoji}漢`);
    expect(wrap(`aaaaaaa${emoji}b`, 8).map((row) => row.map(({ text }) => text).join(''))).toEqual([
      'aaaaaaa',
      `${emoji}b`,
    ]);
  });

  it.each([
    ['a joiner between letters', 'a\u200db', 'a<200D>b'],
    ['a joiner at the end of a picture', '👨\u200d', '👨<200D>'],
    [
      'a joiner before more pictures than any emoji has',
      '👨\u200d👨\u200d👨\u200d👨\u200d👨',
      '👨<200D>👨\u200d👨\u200d👨\u200d👨',
    ],
    ['a letter with a variation', 'a\ufe0f', 'a<FE0F>'],
    ['a variation after a key', '2\u20e3\ufe0f', '2\u20e3<FE0F>'],
  ])('escapes %s', (_what, text, shown) => {
    expect(escaped(text)).toBe(shown);
  });

  it('begins a new piece at each cut, and says where in the text each piece begins', () => {
    expect(new Wrapping('ab\tc漢\x1bd', 8, [1, 3, 4]).all()).toEqual([
      [
        { text: 'a', isEscape: false, at: 0 },
        { text: 'b      ', isEscape: false, at: 1 },
      ],
      [
        { text: 'c', isEscape: false, at: 3 },
        { text: '漢', isEscape: false, at: 4 },
        { text: '^[', isEscape: true, at: 5 },
        { text: 'd', isEscape: false, at: 6 },
      ],
    ]);
  });

  it('a key takes two columns also before what is escaped', () => {
    expect(wrap('2\u20e3\ufe0f2', 8)).toHaveLength(2);
  });

  it('whatever a text has, its rows hold nothing active, fit, and leave nothing out', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 100 }), (text, columns) => {
        const rows = wrap(text, columns).map((row) => row.map((piece) => piece.text).join(''));
        for (const row of rows) {
          expect(row.replace(JOINED, '')).not.toMatch(ACTIVE);
          expect(isPrintable(row)).toBe(true);
          expect(widthOf(row)).toBeLessThanOrEqual(Math.max(8, columns));
        }
        // Tabs depend on where they stand.
        if (!text.includes('\t')) expect(rows.join('')).toBe(escaped(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the first rows of a line of any length without looking at the rest', () => {
    const wrapping = new Wrapping('漢\x1b'.repeat(10_000_000), 80);
    const started = processorTime();
    expect(
      wrapping
        .row(20)
        ?.map(({ text }) => text)
        .join(''),
    ).toBe('漢^['.repeat(20));
    expect(processorTime() - started).toBeLessThan(500);
  });

  it('rows asked for one by one, in any order, are those of the whole', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 30 }), fc.array(fc.nat({ max: 10 })), (text, columns, indexes) => {
        const [wrapping, whole] = [new Wrapping(text, columns), wrap(text, columns)];
        for (const index of indexes) expect(wrapping.row(index)).toEqual(whole[index]);
        expect(wrapping.all()).toEqual(whole);
      }),
    );
  });

  it.each([
    ['ten million plain characters', 'x'.repeat(10_000_000)],
    ['half a million of all kinds', 'x\t漢\x1b'.repeat(125_000)],
  ])('a line of %s is wrapped in less than two seconds', (_what, text) => {
    const started = processorTime();
    expect(wrap(text, 80).length).toBeGreaterThan(10_000);
    expect(processorTime() - started).toBeLessThan(2000);
  });
});

describe('clip', () => {
  it('says with dots that something is missing, at the end or at the beginning', () => {
    expect(clip('src/file.ts', 8)).toBe('src/fil…');
    expect(clipStart('src/file.ts', 8)).toBe('…file.ts');
    expect(clip('short', 8)).toBe('short');
    expect(clip('漢字漢字', 4)).toBe('漢…');
  });

  it('of a very long text only what could fit is looked at', () => {
    const started = processorTime();
    const text = '漢\x1b'.repeat(5_000_000);
    expect([clip(text, 8), clipStart(text, 8)]).toEqual(['漢^[漢^…', '…^[漢^[']);
    expect(clip('e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301'.repeat(10), 10)).toHaveLength(90);
    expect(processorTime() - started).toBeLessThan(500);
  });

  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -1, max: 40 }), (text, columns) => {
        for (const clipped of [clip(text, columns), clipStart(text, columns)]) {
          expect(widthOf(clipped)).toBeLessThanOrEqual(Math.max(0, columns));
          expect(clipped.replace(JOINED, '')).not.toMatch(ACTIVE);
        }
      }),
    );
  });
});
