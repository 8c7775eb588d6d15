// Code that kills other servers. After each there is one answer and the server goes on, in the same session where the
// Lisp allows it. `hostile.contract.ts` has more of it, without the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';

const cache = cacheForTests();
let lisp: LispProgram;

beforeAll(async () => {
  lisp = startLisp(['--heap', '256'], cache);
  await greet(lisp);
});
afterAll(() => lisp.close());

let count = 0;

/** Runs code in a session with a variable, and returns whether the variable survived. */
async function run(code: string, timeout = 20): Promise<{ text: string; kept: boolean }> {
  count += 1;
  const session = `hostile-${count}`;
  await lisp.call('evaluate-lisp', { session, code: '(defvar *kept* :kept)' });
  const { content } = await lisp.call('evaluate-lisp', { session, code, timeout });
  const after = await lisp.call('evaluate-lisp', { session, code: "(if (boundp '*kept*) *kept* :gone)", timeout: 20 });
  await lisp.call('close-session', { session });
  expect(lisp.earlier).toEqual([]);
  const found = after.content[0].text.match(/=> :(KEPT|GONE)$/)?.[1];
  expect(found, after.content[0].text).toBeDefined();
  return { text: content[0].text, kept: found === 'KEPT' };
}

describe('the session survives', () => {
  it.each([
    ['stack exhaustion', '(labels ((f (x) (1+ (f x)))) (f 1))', '[ERROR]'],
    ['exit', '(sb-ext:exit)', '[ERROR]'],
    ['break', '(break "here")', '[ERROR] SIMPLE-CONDITION'],
    ['a reader error', '(list #<nonsense>)', '[ERROR]'],
    ['an unclosed list', '(list 1 2', '[ERROR] END-OF-FILE'],
    ['a value with a control character', '(string (code-char 0))', '=> "␀"'],
    ['a signal without a handler', "(signal 'error)", '=> NIL'],
    ['an endless loop', '(loop)', '[TIMEOUT]', 0.2],
    ['a sleep that is too long', '(sleep 1000)', '[TIMEOUT]', 0.2],
    [
      'waiting for a lock',
      '(let ((m (sb-thread:make-mutex))) (sb-thread:join-thread (sb-thread:make-thread (lambda () (sb-thread:grab-mutex m) (sleep 1)))) (sb-thread:grab-mutex m))',
      '[TIMEOUT]',
      2,
    ],
    ['a flood of output', '(loop (write-line "flood"))', '[TIMEOUT]', 0.5],
    ['a circular value', '(let ((l (list 1))) (setf (cdr l) l))', '=> '],
    ['a huge number', '(ash 1 100000)', '=> '],
    [
      'a print method that fails',
      '(defclass a () ()) (defmethod print-object ((a a) s) (error "no")) (make-instance \'a)',
      '=> #<A>',
    ],
    [
      'a report that fails',
      '(define-condition c (error) () (:report (lambda (c s) (error "no")))) (error \'c)',
      '[ERROR]',
    ],
    [
      'no streams at all',
      '(setf *standard-output* nil *error-output* nil *debug-io* nil) 1',
      '[ERROR] SIMPLE-TYPE-ERROR',
    ],
    ['no package', '(setf *package* nil)', '[ERROR]'],
    ['an undefined function', '(no-such-function)', '[ERROR] UNDEFINED-FUNCTION'],
    ['a redefined function of Lisp', '(defun car (x) x)', '[ERROR]'],
    [
      'many threads',
      '(length (loop repeat 20 collect (sb-thread:make-thread (lambda () (loop repeat 1000)))))',
      '=> 20',
    ],
    ['garbage', '(let ((x nil)) (dotimes (i 100) (setf x (make-array 1000000))) (length x))', '=> 1000000'],
  ] as [string, string, string, number?][])('%s', async (_what, code, expected, timeout) => {
    const { text, kept } = await run(code, timeout);
    expect(text).toContain(expected);
    expect(kept, text).toBe(true);
  });
});

describe('the server survives, whatever becomes of the session, and says what happened after', () => {
  it.each([
    [
      'heap exhaustion',
      '(let ((x nil)) (loop (push (make-array 1000000) x)))',
      /HEAP-EXHAUSTED-ERROR|ran out of memory/,
    ],
    ['a loop without interrupts', '(sb-sys:without-interrupts (loop))', /\[SESSION LOST\] .* did not stop/, 0.2],
    ['exit at once', '(sb-ext:exit :code 9 :abort t)', /\[SESSION LOST\] The Lisp exited with code 9\./],
    [
      '_exit of C',
      '(sb-alien:alien-funcall (sb-alien:extern-alien "_exit" (function sb-alien:void sb-alien:int)) 1)',
      /\[SESSION LOST\] The Lisp exited with code 1\./,
    ],
    [
      'abort of C',
      '(sb-alien:alien-funcall (sb-alien:extern-alien "abort" (function sb-alien:void)))',
      /\[SESSION LOST\] The Lisp /,
    ],
    ['a write to address 0', '(setf (sb-sys:sap-ref-32 (sb-sys:int-sap 0) 0) 1)', /MEMORY-FAULT-ERROR/],
    ['its own SIGKILL', '(sb-unix:unix-kill (sb-unix:unix-getpid) 9)', /\[SESSION LOST\] .* ended by SIGKILL\./],
    ['its own SIGSTOP', '(sb-unix:unix-kill (sb-unix:unix-getpid) 19)', /\[SESSION LOST\] .* did not stop/, 0.5],
    ['a closed descriptor 3', '(values (sb-unix:unix-close 3))', /^=> NIL$/, 1],
    [
      'garbage on descriptor 3',
      '(let ((s (sb-sys:make-fd-stream 3 :output t :buffering :none))) (write-line "garbage" s) 1)',
      /\[ERROR\] .*Bad file descriptor/s,
      1,
    ],
    [
      'its other threads killed',
      '(dolist (thread (sb-thread:list-all-threads)) (unless (eq thread sb-thread:*current-thread*) (sb-thread:terminate-thread thread)))',
      /^=> NIL$/,
      1,
    ],
    [
      'a fork',
      '(let ((pid (sb-alien:alien-funcall (sb-alien:extern-alien "fork" (function sb-alien:int))))) (when (zerop pid) (sb-ext:exit :abort t)) 1)',
      /^=> 1$/,
      2,
    ],
  ] as [string, string, RegExp, number?][])('%s', async (_what, code, expected, timeout) => {
    const { text } = await run(code, timeout);
    expect(text).toMatch(expected);
  });
});

it('the server wrote nothing to stderr meanwhile', () => {
  expect([lisp.process.exitCode, lisp.process.signalCode]).toEqual([null, null]);
  expect(lisp.stderr()).toBe('');
});
