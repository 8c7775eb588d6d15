import { hunksOf } from '@hawser/diffs/hunks';
import { lineFeedHunks } from '@hawser/diffs/line-feed-hunks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, hunkAt, linesAt, nextHunkLine, sizeOf } from './text-edits.ts';

describe('edits', () => {
  it('are applied in any order', () => {
    const edits = [
      { start: 4, end: 7, text: '2' },
      { start: 0, end: 3, text: '1' },
      { start: 8, end: 8, text: '!' },
    ];
    expect(applyEdits('one two three', edits)).toBe('1 2 !three');
  });
});

describe('hunks', () => {
  const hunks = [
    [0, 1, 0, 2],
    [5, 2, 6, 0],
    [9, 1, 8, 1],
  ];

  it('are found at their lines, and one that removes lines at the line after them', () => {
    expect([0, 1, 2, 6, 8].map((line) => hunkAt(hunks, line))).toEqual([0, 0, -1, 1, 2]);
  });

  it('are gone through in both directions', () => {
    expect(nextHunkLine(hunks, 0, 'next')).toBe(6);
    expect(nextHunkLine(hunks, 8, 'next')).toBeUndefined();
    expect(nextHunkLine(hunks, 8, 'previous')).toBe(6);
  });

  it('that are rejected one after the other leave the old text', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        let now = newText;
        for (;;) {
          const [first] = lineFeedHunks(oldText, now, hunksOf(oldText, now));
          if (first === undefined) break;
          const [oldLine = 0, oldCount = 0, newLine = 0, newCount = 0] = first;
          const rest = now.split(/(?<=\n)/).length - newLine - newCount;
          const before = linesAt(now, 0, newLine);
          now = before + linesAt(oldText, oldLine, oldCount) + linesAt(now, newLine + newCount, Math.max(0, rest));
        }
        expect(now).toBe(oldText);
      }),
    );
  });
});

describe('the diff editor', () => {
  it('is spared texts that it stands still on', () => {
    expect(sizeOf(['a\n', 'b\n'], 1)).toBe('small');
    expect(sizeOf(['a\n', 'b\n'], 201)).toBe('many hunks');
    expect(sizeOf(['a\rb\n', 'b\n'], 1)).toBe('many hunks');
    expect(sizeOf(['a\n', 'a'.repeat(200_001)], 1)).toBe('too large');
    expect(sizeOf(['a\n', `${'a'.repeat(150_000)}\n`.repeat(3)], 1)).toBe('small');
    expect(sizeOf(['line\n'.repeat(1_100_000), ''], 1)).toBe('too large');
  });
});
