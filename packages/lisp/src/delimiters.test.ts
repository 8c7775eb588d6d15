import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDelimiters } from './delimiters.ts';

const problems = (code: string) =>
  checkDelimiters(code).map(({ line, column, message }) => `${line}:${column} ${message}`);

it.each([
  '',
  '; a comment (',
  '(defun f (x) "doc (" (+ x 1)) (f 2)',
  "'(a . b) #'car `(a ,b ,@c) #(1 2) #+sbcl (yes)",
  '#| a #| nested ( |# comment |# x',
  '|a (symbol| a\\(b a#|(|b',
  '#\\( #\\) #\\; #\\" #\\| #\\\\ #\\Space',
  '"a \\" quote and ( too"',
])('%j has matching delimiters', (code) => {
  expect(problems(code)).toEqual([]);
});

it.each([
  ['(a', '1:0 This list is not closed: a ) is missing'],
  [
    'x\n  (a (b',
    '2:2 This list and 1 inside it are not closed: 2 ) are missing; the innermost begins at line 2, column 5',
  ],
  ['a)\nb', '1:1 This ) closes nothing: there is no open ( before it'],
  ['"ä😀" )', '1:5 This ) closes nothing: there is no open ( before it'],
  ['(a "abc', '1:3 This string is not closed: a " is missing'],
  ['x |abc', '1:2 This symbol is not closed: a | is missing'],
  ['#| a #| b |#', '1:0 This comment is not closed: |# is missing'],
])('%j: %s', (code, problem) => {
  expect(problems(code)).toEqual([problem]);
});

it('a definition that begins a line inside a list shows where a parenthesis is probably missing', () => {
  expect(problems('(defun f (x)\n  (+ x 1)\n\n(defun g (x)\n  x)\n')).toEqual([
    '1:0 This list is not closed: a ) is missing. A ) is probably missing before the definition at line 4, column 0',
  ]);
});

it('many problems are listed up to a limit, and a long text takes no long time', () => {
  expect(checkDelimiters(') '.repeat(50))).toHaveLength(20);
  expect(checkDelimiters('('.repeat(1_000_000))).toHaveLength(1);
  expect(checkDelimiters('#|'.repeat(500_000))).toHaveLength(1);
});

// Pieces that matter to a reader, and few enough kinds of them that they meet.
const PIECES = [
  '(',
  ')',
  ' ',
  '\n',
  '"',
  "'",
  '`',
  ',',
  ';',
  '|',
  '\\',
  '#',
  '#|',
  '|#',
  '#(',
  "#'",
  '#\\',
  'a',
  'nil',
  '1',
];
const lispish = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''));

describe('any text', () => {
  it('matches inside a string or a comment', () => {
    fc.assert(
      fc.property(lispish, (code) => {
        expect(problems(`"${code.replace(/["\\]/g, '\\$&')}"`)).toEqual([]);
        expect(problems(`#|${code.replace(/[|#]/g, ' ')}|#`)).toEqual([]);
      }),
    );
  });

  it('that the reader of SBCL reads has matching delimiters', () => {
    const texts = fc.sample(lispish, { numRuns: 3000, seed: 6 });
    const readable = readBySbcl(texts);
    expect(readable.length).toBeGreaterThan(100);
    expect(readable.filter((text) => problems(text).length > 0)).toEqual([]);
  });
});

/** Those of the texts that SBCL reads without an error. */
function readBySbcl(texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-delimiters-'));
  try {
    const data = join(folder, 'texts');
    writeFileSync(data, texts.map((text) => `(${[...text].map((c) => c.codePointAt(0)).join(' ')})\n`).join(''));
    const script = `
      (defun readable-p (text)
        (handler-bind ((warning #'muffle-warning))
          (handler-case (with-input-from-string (stream text)
                          (loop until (eq (read stream nil stream) stream) finally (return t)))
            (serious-condition () nil))))
      (with-open-file (in "${data}")
        (loop for line = (read-line in nil) while line
              do (write-line (if (readable-p (map 'string #'code-char (read-from-string line))) "yes" "no"))))`;
    writeFileSync(join(folder, 'read.lisp'), script);
    const { stdout } = spawnSync('sbcl', ['--script', join(folder, 'read.lisp')], { encoding: 'utf8' });
    const verdicts = stdout.trimEnd().split('\n');
    expect(verdicts).toHaveLength(texts.length);
    return texts.filter((_, index) => verdicts[index] === 'yes');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
