import { expect } from 'vitest';
import { warmSbcl } from '../../../testing/warm-sbcl.ts';
import { describeHostilities, type Hostility, portableHostilities } from '../hostile.contract.ts';

const prepare = warmSbcl();

const exit = { ok: false, error: expect.objectContaining({ type: 'EXIT' }) };

const own: readonly Hostility[] = [
  {
    what: 'an exhausted stack',
    code: '(defun deep (n) (+ 1 (deep n))) (deep 1)',
    ends: {
      ok: false,
      stderr: '',
      error: expect.objectContaining({
        types: expect.arrayContaining(['STORAGE-CONDITION']),
        frames: Array(8).fill('(DEEP ...)'),
      }),
    },
  },
  {
    what: 'an exhausted binding stack',
    code: '(defvar *b* 0) (defun bind () (let ((*b* 1)) (bind))) (bind)',
    ends: { ok: false },
  },
  {
    what: 'an exhausted heap',
    code: '(let ((l nil)) (loop (push (make-array 1000000) l)))',
    timeout: 20_000,
    ends: {
      ok: false,
      stderr: '',
      error: expect.objectContaining({ types: expect.arrayContaining(['STORAGE-CONDITION']) }),
    },
  },
  {
    what: 'a heap exhausted by small objects',
    code: '(let ((l nil)) (loop (push (list 1 2 3) l)))',
    timeout: 20_000,
    ends: 'any',
  },
  { what: 'exit', code: '(sb-ext:exit)', ends: exit },
  { what: 'exit with a code, twice', code: '(ignore-errors (sb-ext:exit :code 3))', ends: exit },
  { what: 'quit', code: '(sb-ext:quit)', ends: exit },
  { what: 'exit without unwinding', code: '(sb-ext:exit :abort t :code 4)', ends: 'exited' },
  {
    what: 'the exit of C',
    code: '(sb-alien:alien-funcall (sb-alien:extern-alien "_exit" (function sb-alien:void sb-alien:int)) 5)',
    ends: 'exited',
  },
  { what: 'its own death', code: '(sb-unix:unix-kill (sb-unix:unix-getpid) 9)', ends: 'crashed' },
  {
    what: 'SIGTERM to itself',
    code: '(progn (sb-unix:unix-kill (sb-unix:unix-getpid) 15) (sleep 10))',
    ends: 'crashed',
  },
  {
    what: 'SIGINT to itself',
    code: '(progn (sb-unix:unix-kill (sb-unix:unix-getpid) 2) 1)',
    ends: { ok: true, values: ['1'] },
  },
  { what: 'being stopped', code: '(sb-unix:unix-kill (sb-unix:unix-getpid) 19)', timeout: 300, ends: 'timeout' },
  { what: 'a loop without interrupts', code: '(sb-sys:without-interrupts (loop))', timeout: 300, ends: 'timeout' },
  {
    what: 'a write to address 0',
    code: '(setf (sb-sys:sap-ref-8 (sb-sys:int-sap 0) 0) 1)',
    ends: { ok: false, error: expect.objectContaining({ type: 'SB-SYS:MEMORY-FAULT-ERROR' }) },
  },
  { what: 'closed descriptors', code: '(dotimes (fd 20) (sb-unix:unix-close fd))', ends: { ok: true } },
  { what: 'closed descriptors, all of them', code: '(dotimes (fd 1024) (sb-unix:unix-close fd))', ends: 'any' },
  {
    what: 'output past Lisp',
    code: '(progn (sb-alien:alien-funcall (sb-alien:extern-alien "puts" (function sb-alien:int sb-alien:c-string)) "leaked") (sb-alien:alien-funcall (sb-alien:extern-alien "fflush" (function sb-alien:int sb-alien:long)) 0) 1)',
    ends: { ok: true, stdout: 'leaked\n', stderr: '' },
  },
  {
    what: 'killed threads',
    code: "(mapc #'sb-thread:terminate-thread (remove sb-thread:*current-thread* (sb-thread:list-all-threads)))",
    ends: { ok: true },
  },
  {
    what: 'the end of the main thread',
    code: '(sb-thread:terminate-thread (sb-thread:main-thread))',
    ends: { ok: false },
  },
  {
    what: 'an error in another thread',
    code: '(sb-thread:join-thread (sb-thread:make-thread (lambda () (error "over there"))) :default :dead)',
    ends: { ok: true, values: [':DEAD', ':ABORT'], stderr: 'A thread ended: SIMPLE-ERROR: over there\n' },
  },
  {
    what: 'exit in another thread',
    code: "(sb-thread:join-thread (sb-thread:make-thread #'sb-ext:exit) :default 1)",
    timeout: 1000,
    ends: 'any',
  },
  {
    what: 'a fork behind SBCL’s back',
    code: '(sb-alien:alien-funcall (sb-alien:extern-alien "fork" (function sb-alien:int)))',
    ends: { ok: true },
  },
  { what: 'a fork', code: '(require :sb-posix) (funcall (find-symbol "FORK" :sb-posix))', ends: { ok: false } },
  { what: 'deleting CL-USER', code: '(delete-package :cl-user)', timeout: 500, ends: 'any' },
  { what: 'deleting KEYWORD', code: '(delete-package :keyword)', timeout: 500, ends: 'any' },
  {
    what: 'renaming CL-USER and back',
    code: '(rename-package :cl-user :other) (rename-package :other :common-lisp-user (list :cl-user))',
    ends: { ok: true },
  },
  {
    what: 'lone surrogates',
    code: '(progn (write-char (code-char #xd800)) (error (string (code-char #xdfff))))',
    ends: { ok: false, stdout: '\ufffd', error: expect.objectContaining({ message: '\ufffd' }) },
  },
  {
    what: 'a hook of SBCL’s debugger',
    code: '(setf sb-ext:*invoke-debugger-hook* nil) (error "x")',
    ends: { ok: false },
  },
  {
    what: 'unlocked packages and a redefined printer',
    code: '(sb-ext:unlock-package :cl) (sb-ext:without-package-locks (defun cl:prin1 (&rest r) r (error "mine")))',
    timeout: 1000,
    ends: 'any',
  },
  {
    what: 'no garbage collection',
    code: '(sb-sys:without-gcing (let ((l nil)) (loop (push (make-array 100000) l))))',
    timeout: 5000,
    ends: 'any',
  },
  {
    what: 'definitions with circular names',
    code: '(defmacro def-anything (&rest x) (declare (ignore x)) 1) (def-anything #1=(#1# . #1#)) (def-anything #2=(#2# . #2#)) (def-anything . (3)) (def-anything)',
    ends: { ok: true, values: ['1'] },
  },
  {
    what: 'a child process that outlives it',
    code: '(progn (sb-ext:run-program "/bin/sleep" \'("1000") :wait nil) 1)',
    ends: { ok: true },
  },
];

describeHostilities('SBCL', prepare, [...portableHostilities, ...own]);
