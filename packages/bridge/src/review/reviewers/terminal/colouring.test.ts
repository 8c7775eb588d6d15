import { changedWords } from '@hawser/diffs/changed-words';
import { describe, expect, it } from 'vitest';
import { CodeColours } from './code-colours.ts';
import { highlight, languageOf } from './colouring.ts';
import { layered, styleAt } from './style-ranges.ts';

/** The coloured words of each line, once all are known. */
async function coloured(text: string, language: string): Promise<string[][]> {
  const lines = text.split('\n');
  const colours = new CodeColours({ text, highlight: (code) => highlight(code, language), onReady: () => {} });
  for (const line of lines.keys()) colours.rangesOf(line);
  for (let chunk = 0; chunk < lines.length; chunk += 1) await new Promise((resolve) => setImmediate(resolve));
  return lines.map((content, line) =>
    colours.rangesOf(line).map(({ from, to, style }) => `${style.colour} ${content.slice(from, to)}`),
  );
}

describe('colours of code', () => {
  it('words, strings and comments of several lines have theirs', async () => {
    expect(await coloured('const a = 1;\n/* one\n   two */ let b = "x";\n', 'typescript')).toEqual([
      ['magenta const', 'cyan 1'],
      ['grey /* one'],
      ['grey    two */', 'magenta let', 'yellow "x"'],
      [],
    ]);
  });

  it('a long text is coloured in parts, and each line is in one', async () => {
    const text = Array.from({ length: 500 }, (_, line) => `const v${line} = "s";`).join('\n');
    for (const [line, words] of (await coloured(text, 'typescript')).entries()) {
      expect([line, ...words]).toEqual([line, 'magenta const', 'yellow "s"']);
    }
  });

  it('a part in another language has its colours', async () => {
    const [, line = []] = await coloured('<script>\nconst a = 1;\n</script>', 'xml');
    expect(line).toEqual(['magenta const', 'cyan 1']);
  });

  it.each([
    ['/w/a.ts', 'ts'],
    ['/w/a.mts', 'typescript'],
    ['/w/Makefile', 'makefile'],
    ['/w/Dockerfile', 'dockerfile'],
    ['/w/a.lisp', 'lisp'],
    ['/w/a.unknown', undefined],
    ['/w/README', undefined],
    ['/w/a.constructor', undefined],
  ])('the language of %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });
});

describe('changedWords', () => {
  it('finds the words that differ, on both sides', () => {
    expect(changedWords('return a + b;', 'return alpha + b;')).toEqual({ old: [[7, 8]], new: [[7, 12]] });
  });

  it('says nothing about lines that have little in common, or very many differences', () => {
    expect(changedWords('one two three', 'completely different text')).toBeUndefined();
    const many = (word: string) => Array.from({ length: 300 }, (_, index) => `same ${word}${index}`).join(' ');
    expect(changedWords(many('a'), many('b'))).toBeUndefined();
  });
});

describe('layered', () => {
  it('where ranges overlap the later list counts, and the rest of the earlier one stays', () => {
    const one = [{ from: 0, to: 10, style: { colour: 'red' } as const }];
    const two = [{ from: 2, to: 4, style: { isReversed: true } }];
    const ranges = layered(one, two);
    expect(ranges.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [2, 4],
      [4, 10],
    ]);
    expect([styleAt(ranges, 3), styleAt(ranges, 9), styleAt(ranges, 10)]).toEqual([
      { colour: 'red', isReversed: true },
      { colour: 'red' },
      undefined,
    ]);
  });
});
