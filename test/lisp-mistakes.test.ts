// The first mistakes that a model is likely to make, each answered with the next right step.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheForTests, folderForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';

const cache = cacheForTests();
const folder = folderForTests('mistakes');
let lisp: LispProgram;

beforeAll(async () => {
  writeFileSync(join(folder, 'shop.asd'), '(asdf:defsystem "shop" :depends-on ("no-such-library"))');
  writeFileSync(join(folder, 'half.asd'), '(asdf:defsystem "half" :components ((:file "half")))');
  writeFileSync(join(folder, 'half.lisp'), UNCLOSED);
  writeFileSync(join(folder, 'slow.asd'), '(asdf:defsystem "slow" :components ((:file "slow")))');
  writeFileSync(join(folder, 'slow.lisp'), '(eval-when (:compile-toplevel) (sleep 60))');
  lisp = startLisp(['--cwd', folder], { ...cache, HOME: folder });
  await greet(lisp);
});
afterAll(() => lisp.close());

interface Mistake {
  readonly what: string;
  readonly tool?: string;
  readonly args: object;
  /** An evaluation that leads to it. */
  readonly before?: object;
  /** What the answer says to do next. */
  readonly next: RegExp;
}

const evaluate = (what: string, code: string, next: RegExp, more: object = {}): Mistake => ({
  what,
  args: { code, ...more },
  next,
});

const UNCLOSED = '(defun f (x)\n  (+ x 1)\n\n(defun g (x) x)';
const MISSING_PARENTHESIS = /A \) is probably missing before the definition at line 4/;

const mistakes: readonly Mistake[] = [
  evaluate(
    'Quicklisp without having it',
    '(ql:quickload :alexandria)',
    /Quicklisp is not installed here\. Use load-system/,
  ),
  evaluate(
    'a package before its system is loaded',
    '(cl-ppcre:scan "a" "b")',
    /Call load-system with system "cl-ppcre"/,
  ),
  evaluate(
    'a package that exists nowhere',
    '(nowhere:at-all)',
    /Load the system that defines the package with load-system/,
  ),
  evaluate('a function without its package', '(quickload-or-so 1)', /search with apropos-search/),
  evaluate('an internal symbol with one colon', '(cl-user:hidden)', /Write :: instead of :/),
  evaluate('true and false', '(if true 1 2)', /Common Lisp writes T for true, and NIL for false/),
  evaluate('a function as a variable', '(mapcar car (list (list 1)))', /names a function: .*#'car/),
  evaluate('a missing parenthesis', UNCLOSED, MISSING_PARENTHESIS),
  {
    what: 'a missing parenthesis in a file',
    tool: 'load-file',
    args: { path: 'half.lisp' },
    next: MISSING_PARENTHESIS,
  },
  {
    what: 'a missing parenthesis in a system',
    tool: 'load-system',
    args: { system: 'half' },
    next: MISSING_PARENTHESIS,
  },
  {
    what: 'a missing parenthesis in a form to compile',
    tool: 'compile-form',
    args: { form: '(list 1' },
    next: /a \) is missing/,
  },
  evaluate('a package that is not defined', '(in-package :my-own)', /define it with defpackage/),
  evaluate('a question to the user', '(y-or-n-p "Sure?")', /Give the text in stdin/),
  evaluate('the name of a standard function', '(defun list (x) x)', /Choose another name, or shadow the symbol/),
  evaluate('too few arguments', '(nth 1)', /Hint: NTH takes \(N LIST\)\./),
  evaluate('a symbol that a locked package does not have', '(cl::no-such-name 1)', /has no symbol of that name/),
  {
    what: 'the name of an .asd file',
    tool: 'load-system',
    args: { system: 'shop.asd' },
    next: /Give the name of a system, not of a file: "shop"/,
  },
  {
    what: 'a form in place of a symbol',
    tool: 'find-definition',
    args: { symbol: '(nth 1 x)' },
    next: /Give the name of a symbol/,
  },
  evaluate('a loop without an end', '(loop)', /Look for an endless loop, or give a longer timeout/, { timeout: 0.2 }),
  evaluate(
    'a system that takes longer to load than code may run',
    '(asdf:load-system "slow")',
    /Call load-system or test-system: they may take longer/,
    { timeout: 0.5 },
  ),
  evaluate('recursion without an end', '(labels ((f (n) (1+ (f n)))) (f 1))', /Look for recursion without an end/),
  {
    what: 'a system whose library is missing',
    tool: 'load-system',
    args: { system: 'shop' },
    next: /shop depends on no-such-library.*Install the Debian package cl-no-such-library/,
  },
  {
    what: 'a system that does not exist',
    tool: 'load-system',
    args: { system: 'shopp' },
    next: /Check the name and the folder/,
  },
  {
    what: 'a file that does not exist',
    tool: 'load-file',
    args: { path: 'src/main.lisp' },
    next: /Relative paths start at /,
  },
  {
    what: 'the debugger without an open error',
    tool: 'debugger',
    args: { action: 'locals' },
    next: /Call evaluate-lisp with on-error "break" first/,
  },
  {
    what: 'a session that was never used',
    tool: 'close-session',
    args: { session: 'mine' },
    next: /There is no session "mine"\. Running: default/,
  },
  {
    what: 'a symbol that does not exist',
    tool: 'describe-symbol',
    args: { symbol: 'hash-table-to-list' },
    next: /Search with apropos-search/,
  },
  {
    what: 'a wrong argument',
    args: { form: '(+ 1 2)' },
    next: /arguments\.code: required but missing; arguments\.form: unknown property/,
  },
  {
    what: 'a restart without its value',
    tool: 'debugger',
    before: { code: '(+ 1 no-such-variable)', 'on-error': 'break' },
    args: { action: 'restart', restart: 1 },
    next: /Restart 1 asks for values\. Give a form for each in "arguments"/,
  },
  {
    what: 'a restart with a value that it does not take',
    tool: 'debugger',
    args: { action: 'restart', restart: 0, arguments: ['1'] },
    next: /Restart 0 \[CONTINUE\] was not invoked: .*\. Give a form for each value that it takes/,
  },
  {
    what: 'a restart that is not in the list',
    tool: 'debugger',
    args: { action: 'restart', restart: 9 },
    next: /There is no restart 9\. Choose one of these:\n0: \[CONTINUE\]/,
  },
];

describe('the answer says what to do after', () => {
  it.each(mistakes.map((mistake): [string, Mistake] => [mistake.what, mistake]))(
    '%s',
    async (_what, { tool = 'evaluate-lisp', args, before, next }) => {
      if (before !== undefined) await lisp.call('evaluate-lisp', before);
      const { isError, content } = await lisp.call(tool, args);
      expect(isError).toBe(true);
      expect(content[0].text).toMatch(next);
      // Advice is short, or it would be skipped.
      expect(content[0].text.length).toBeLessThan(1500);
    },
  );
});
