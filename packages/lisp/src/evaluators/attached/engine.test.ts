import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { PATIENT, START } from '../../../testing/evaluator-under-test.ts';
import { describeDebugger } from '../../debugger.contract.ts';
import { describeErrors } from '../../errors.contract.ts';
import { describeEvaluator } from '../../evaluator.contract.ts';
import type { Engine } from '../../evaluator.ts';
import { describeLookup } from '../../lookup.contract.ts';
import { describeOperations } from '../../operations.contract.ts';
import { attachedEngine } from './engine.ts';

let image: ChildProcess | undefined;
let engine: Promise<Engine> | undefined;

/** One image, as SLIME starts it, for all tests. */
async function start(): Promise<Engine> {
  const create = '(format t "~&port ~d~%" (swank:create-server :port 0 :dont-close t))';
  const forms = ['(require :asdf)', '(asdf:load-system "swank")', create, '(loop (sleep 1))'];
  const args = [
    '--noinform',
    '--control-stack-size',
    '8MB',
    '--no-userinit',
    ...forms.flatMap((form) => ['--eval', form]),
  ];
  const child = spawn('sbcl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  image = child;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return attachedEngine({ server: 'Swank', host: '127.0.0.1', port: Number(port) });
  }
  throw new Error('The image ended');
}

const prepare = () => {
  engine ??= start();
  return engine;
};
const notes = { lacks: { 'own-process': 'its image is the user’s, and shared' } } as const;

describeEvaluator('An attached SBCL', prepare, notes);
describeErrors('An attached SBCL', prepare, notes);
describeDebugger('An attached SBCL', prepare, notes);
describeLookup('An attached SBCL', prepare, notes);
describeOperations('An attached SBCL', prepare, notes);

it('code that can not be interrupted costs its session, not the image', async () => {
  const attached = await prepare();
  const busy = await attached.start(START);
  const code = `(defvar *busy* sb-thread:*current-thread*)
    (sb-sys:without-interrupts
      (loop with end = (+ (get-universal-time) 3) until (> (get-universal-time) end)))`;
  const { lost } = await busy.perform({ kind: 'evaluate', code }, { ...PATIENT, timeout: 200 });
  expect(lost?.kind).toBe('timeout');
  const other = await attached.start(START);
  // The image must survive the interrupts that arrive when the code is over.
  const joined = await other.perform(
    { kind: 'evaluate', code: '(sb-thread:join-thread *busy* :default :over)' },
    PATIENT,
  );
  expect(joined.ok).toBe(true);
  expect((await other.perform({ kind: 'evaluate', code: '(+ 1 1)' }, PATIENT)).values).toEqual(['2']);
  await other.close();
});

it('sessions that attach at the same time each have a worker', { timeout: 180_000 }, async () => {
  const attached = await prepare();
  const evaluators = await Promise.all(Array.from({ length: 3 }, () => attached.start(START)));
  for (const [index, evaluator] of evaluators.entries()) {
    const code = `(+ ${index} 1)`;
    expect((await evaluator.perform({ kind: 'evaluate', code }, PATIENT)).values).toEqual([String(index + 1)]);
  }
  await Promise.all(evaluators.map((evaluator) => evaluator.close()));
});

it('the image outlives all of that', async () => {
  const last = await (await prepare()).start(START);
  expect((await last.perform({ kind: 'evaluate', code: '(+ 1 1)' }, PATIENT)).values).toEqual(['2']);
  await last.close();
  expect([image?.exitCode, image?.signalCode]).toEqual([null, null]);
});

afterAll(() => image?.kill('SIGKILL'));
