import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { CORPUS } from '../../testing/syntax-corpus.ts';
import { checkSyntax } from './check-syntax.ts';

// Thousands of texts, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const errors = (code: string) =>
  checkSyntax(code).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('sound code', () => {
  it.each([
    ['', 0],
    ['; nothing', 0],
    ['(defun f (x) "doc" (+ x 1)) (f 2)', 2],
    ["'(a . b) #'car `(a ,b ,@c)", 3],
    ['#| a #| nested |# comment |# x', 1],
    ['|a (symbol|', 1],
    ['#\\( #\\) #\\; #\\"', 4],
    ['"a \\" quote and ( too"', 1],
    ['#+sbcl (yes) #-sbcl (no', 1],
  ])('%j has %d forms', (code, forms) => {
    const report = checkSyntax(code);
    if (code.endsWith('(no')) return expect(report).toMatchObject({ ok: false, forms });
    expect(report).toEqual({ ok: true, forms, problems: [] });
  });
});

describe('unsound code', () => {
  it.each([
    ['(a', '1:0 This list is not closed: a ) is missing'],
    [
      'x\n  (a (b',
      '2:2 This list and 1 inside it are not closed: 2 ) are missing; the innermost begins at line 2, column 5',
    ],
    ['a)\nb', '1:1 This ) closes nothing: there is no open ( before it'],
    ['"ä😀" )', '1:5 This ) closes nothing: there is no open ( before it'],
    ["(')", "1:2 The ) stands where ' still wants an object"],
    ["'", "1:0 The text ends where ' wants an object"],
    ['"abc', '1:0 This string is not closed: a " is missing'],
    ['x |abc', '1:2 This symbol is not closed: a | is missing'],
    ['#| a #| b |#', '1:0 This comment is not closed: |# is missing'],
    [',a', '1:0 This comma is not inside a backquote'],
    ['`(a ,(b ,c))', '1:8 This comma is not inside a backquote'],
    ['`,@a', '1:0 A splicing comma cannot stand right after a backquote: there is no list to splice into'],
    ['( . a)', '1:2 Nothing stands before this dot'],
    ['(a . )', '1:5 Nothing stands between the dot and this )'],
    ['(a . b c)', '1:7 More than one object follows the dot of this list'],
    ['#\\^1', '1:0 There is no character named ^1'],
    ['#{a}', '1:0 Nothing in standard syntax begins with #{'],
    ['#; a', '1:0 Nothing in standard syntax begins with #;'],
    ['#<foo>', '1:0 What is printed as #<…> cannot be read back'],
    ['a:b:c', '1:0 A:B:C has too many colons: write package:name or package::name'],
    ['1/0', '1:0 1/0 has the denominator 0'],
    ['#b12', '1:0 #b wants a rational number: 12 is no rational number in base 2'],
  ])('%j: %s', (code, problem) => {
    expect(errors(code)[0]).toBe(problem);
    expect(checkSyntax(code).ok).toBe(false);
  });

  it('has a hint where a parenthesis is probably missing', () => {
    expect(errors('(defun f (x)\n  (+ x 1)\n\n(defun g (x)\n  x)\n')).toEqual([
      '1:0 This list is not closed: a ) is missing. A ) is probably missing before the definition at line 4, column 0',
    ]);
  });

  it('has all its problems listed, in order, up to a limit', () => {
    expect(errors('1/0 a::: (b . ) )').map((error) => error.slice(0, 4))).toEqual(['1:0 ', '1:4 ', '1:14', '1:16']);
    expect(checkSyntax(') '.repeat(50)).problems).toHaveLength(20);
  });

  it('counts the forms before its first error', () => {
    expect(checkSyntax('a (b) "c" ) d')).toMatchObject({ ok: false, forms: 3 });
  });
});

it('a name of a character that only the Lisp can know is a warning', () => {
  expect(checkSyntax('#\\Greek_Small_Letter_Alpha')).toEqual({
    ok: true,
    forms: 1,
    problems: [
      {
        severity: 'warning',
        line: 1,
        column: 0,
        message: 'Greek_Small_Letter_Alpha is no standard name of a character; the Lisp may not know it',
      },
    ],
  });
});

it('features decide what is left out', () => {
  expect(checkSyntax('#+ecl (a . ) b', [':ecl'])).toMatchObject({ ok: false, forms: 0 });
  expect(checkSyntax('#+ecl (a . ) b')).toMatchObject({ ok: true, forms: 1 });
});

it.each([
  ['(', 100_000],
  ["'", 100_000],
  ['#+(and ', 50_000],
  ['#2a(', 50_000],
  ['#|', 100_000],
])('%j, many times, is an error and no overflow', (text, times) => {
  expect(checkSyntax(text.repeat(times)).ok).toBe(false);
});

// Pieces that matter to a reader, and few enough kinds of them that they meet.
const PIECES = [
  ...['(', ')', ' ', '\n', '"', "'", '`', ',', ',@', ',.', ';', '|', '\\', '#', '#|', '|#', '#(', "#'", '#\\', '#:'],
  ...[
    '.',
    '..',
    ':',
    '::',
    'a',
    'b',
    'nil',
    '1',
    '0',
    '-',
    '+',
    '/',
    '1/0',
    '1.5',
    '1e5',
    '1e39',
    '10',
    'x',
    '#1=',
    '#1#',
  ],
  ...[
    '#b',
    '#x',
    '#3r',
    '#*',
    '#2*',
    '#c',
    '#2a',
    '#1a',
    '#0a',
    '#p',
    '#+',
    '#-',
    'sbcl',
    '(or',
    '(not',
    '(a b)',
    '#2(',
  ],
  ...['space', '{', '!', '<', '=', '@', 'keyword:', '\t', '\f', '\r', '(1 2)', '((1)(2))', '"x"'],
];
const lispish = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''));

describe('any text', () => {
  it('gets a report with places inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(lispish, fc.string({ unit: 'binary' })), (code) => {
        const { ok, problems } = checkSyntax(code);
        expect(ok).toBe(problems.every(({ severity }) => severity === 'warning'));
        const lines = code.split('\n');
        for (const { line, column } of problems) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual([...(lines[line - 1] ?? '')].length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('inside a string or a comment is sound', () => {
    fc.assert(
      fc.property(lispish, (code) => {
        expect(checkSyntax(`"${code.replace(/["\\]/g, '\\$&')}"`)).toEqual({ ok: true, forms: 1, problems: [] });
        expect(checkSyntax(`#|${code.replace(/[|#]/g, ' ')}|#`)).toEqual({ ok: true, forms: 0, problems: [] });
      }),
    );
  });
});

describe('the reader of SBCL', () => {
  it('comes to the same verdict on the corpus, and reads as many forms', () => {
    expect(differences(CORPUS)).toEqual([]);
  });

  it('comes to the same verdict on random texts, and reads as many forms', () => {
    const seed = Number(process.env.SYNTAX_SEED ?? 6);
    const texts = fc.sample(lispish, { numRuns: Number(process.env.SYNTAX_RUNS ?? 3000), seed });
    expect(differences(texts), `SYNTAX_SEED=${seed}`).toEqual([]);
  });
});

/** Texts on which we and SBCL differ. Left out is what depends on more than syntax. */
function differences(texts: readonly string[]): unknown[] {
  const theirs = readBySbcl(texts);
  expect(theirs).toHaveLength(texts.length);
  return texts.flatMap((text, index) => {
    const ours = checkSyntax(text);
    const verdict = theirs[index];
    if (
      /#a|#\d*[s.]/i.test(text) ||
      verdict === 'depends' ||
      ours.problems.some(({ severity }) => severity === 'warning')
    )
      return [];
    const mine = `${ours.ok ? 'ok' : 'error'} ${ours.forms}`;
    return mine === verdict ? [] : [{ text, ours: mine, sbcl: verdict, problems: ours.problems }];
  });
}

const READ_ALL = `
(defpackage :scratch (:use :cl))
(setf sb-impl::*default-external-format* :utf-8)
(defun verdict (text)
  (let ((n 0) (*package* (find-package :scratch)) (*read-eval* nil))
    (handler-bind ((warning #'muffle-warning))
      (handler-case
          (with-input-from-string (s text)
            (loop (let ((o (read s nil s)))
                    (when (eq o s) (return (format nil "ok ~d" n)))
                    (incf n))))
        ((or package-error sb-int:simple-reader-package-error sb-kernel::namestring-parse-error) () "depends")
        (serious-condition () (format nil "error ~d" n))))))
(with-open-file (in (second sb-ext:*posix-argv*) :external-format :utf-8)
  (loop for line = (read-line in nil) while line
        do (write-line (verdict (map 'string #'code-char (read-from-string line))))))
`;

function readBySbcl(texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-syntax-'));
  try {
    const script = join(folder, 'read-all.lisp');
    const data = join(folder, 'texts');
    writeFileSync(script, READ_ALL);
    writeFileSync(data, texts.map((text) => `(${[...text].map((c) => c.codePointAt(0)).join(' ')})\n`).join(''));
    const { stdout, stderr } = spawnSync('sbcl', ['--script', script, data], { encoding: 'utf8', maxBuffer: 1e9 });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
