import fc from 'fast-check';

/** Few different lines, so that they repeat, with every line end; A and Ł share their lower byte. */
const line = fc
  .tuple(
    fc.constantFrom('', 'a', 'b', 'c', '}', 'ä😀', '\ufeff', '\u2028', ' x', 'A', 'Ł'),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([content, lineEnd]) => content + lineEnd);

const lines = fc.array(line, { maxLength: 12 });
const lastLine = fc.constantFrom('', 'a', 'last', '\r');

/** Any text of a few lines, and texts of arbitrary characters. */
export const anyText = fc.oneof(
  fc.tuple(lines, lastLine).map(([all, last]) => all.join('') + last),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\n', '\r', 'a', '') }),
);

/** An old text, and a new one that is made from it by replacing a few stretches of lines. */
export const editedTexts: fc.Arbitrary<[string, string]> = fc
  .tuple(
    fc.array(fc.tuple(lines, fc.option(lines, { freq: 1 })), { maxLength: 5 }),
    fc.tuple(lastLine, fc.option(lastLine)),
  )
  .map(([stretches, [last, newLast]]) => [
    stretches.map(([kept]) => kept.join('')).join('') + last,
    stretches.map(([kept, replaced]) => (replaced ?? kept).join('')).join('') + (newLast ?? last),
  ]);

export function subsetOf(hunks: readonly unknown[], coins: Iterator<boolean>): ReadonlySet<number> {
  return new Set([...hunks.keys()].filter(() => coins.next().value === true));
}
