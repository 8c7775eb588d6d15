import { describeHostilities, type Hostility, portableHostilities } from '../hostile.contract.ts';
import { eclEngine } from './engine.ts';

const own: readonly Hostility[] = [
  {
    what: 'an exhausted stack',
    code: '(defun deep (n) (+ 1 (deep n))) (deep 1)',
    ends: { ok: false },
  },
  {
    what: 'an exhausted heap',
    code: '(let ((l nil)) (loop (push (make-array 1000000) l)))',
    timeout: 20_000,
    ends: { ok: false },
  },
  { what: 'quit', code: '(ext:quit 3)', ends: 'exited' },
  { what: 'a loop without interrupts', code: '(mp:without-interrupts (loop))', timeout: 300, ends: 'timeout' },
  {
    what: 'killed threads',
    code: "(mapc #'mp:process-kill (remove mp:*current-process* (mp:all-processes)))",
    timeout: 1000,
    ends: 'any',
  },
];

/** Where ECL does worse than it is asked to: then the Lisp may be lost, and a fresh one works. */
const worse = new Set(['a value nested a hundred thousand deep', 'forms without end']);

describeHostilities('ECL', async () => eclEngine({ environment: process.env }), [
  ...portableHostilities.map((hostility) =>
    worse.has(hostility.what) ? { ...hostility, ends: 'any' as const } : hostility,
  ),
  ...own,
]);
