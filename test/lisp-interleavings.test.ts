// Calls, cancels, timeouts, interrupts and resets in random order across eight sessions: one answer each.
// LISP_INTERLEAVINGS=1000 makes it a long run, LISP_SEED repeats one.
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../packages/mcp/testing/json.ts';
import { cacheForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';

const INTERLEAVINGS = Number(process.env.LISP_INTERLEAVINGS ?? 40);
const SEED = Number(process.env.LISP_SEED ?? 20261115);
const SESSIONS = ['default', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const STEPS = 12;

const cache = cacheForTests();
let lisp: LispProgram;

beforeAll(async () => {
  lisp = startLisp([], cache);
  await greet(lisp);
});
afterAll(() => lisp.close());

/** A request that was sent, and every answer to it. */
interface Sent {
  readonly answers: Json[];
  readonly answered: Promise<void>;
  readonly settle: () => void;
  /** What an answer that reached the Lisp has to say. */
  readonly expected: RegExp | undefined;
  cancelled: boolean;
}

// A call may also be overtaken by what happens to its session.
const OVERTAKEN =
  /did not run|\[SESSION LOST\]|\[INTERRUPTED\]|not started again before|There is no session|could not be started/;

it(`each of the requests in ${INTERLEAVINGS} interleavings has exactly one answer, its own`, {
  timeout: 60_000 + INTERLEAVINGS * 1000,
}, async () => {
  const random = randomNumbers(SEED);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const sent = new Map<number, Sent>();
  const done = new Set<number>();
  const strays: Json[] = [];
  createInterface({ input: lisp.process.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const message = JSON.parse(line);
    const request = sent.get(message.id);
    if (request === undefined) return strays.push(message);
    request.answers.push(message);
    request.settle();
  });
  let lastId = 0;
  const request = (name: string, args: object, expected?: RegExp) => {
    lastId += 1;
    let settle = () => {};
    const answered = new Promise<void>((resolve) => {
      settle = resolve;
    });
    sent.set(lastId, { answers: [], answered, settle, expected, cancelled: false });
    lisp.send({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params: { name, arguments: args } });
    return lastId;
  };
  const steps: ((session: string) => void)[] = [
    (session) => {
      const number = lastId + 1;
      request('evaluate-lisp', { session, code: `(list ${number})` }, new RegExp(`=> \\(${number}\\)$`));
    },
    (session) => {
      const number = lastId + 1;
      const code = `(progn (sleep ${random() / 50}) (print ${number}) ${number})`;
      request('evaluate-lisp', { session, code }, new RegExp(`\\[stdout\\]\\n\\n${number} \\n=> ${number}$`));
    },
    (session) => {
      const number = lastId + 1;
      const code = `(error "number ${number}")`;
      request('evaluate-lisp', { session, code }, new RegExp(`\\[ERROR\\] SIMPLE-ERROR\\nnumber ${number}\\n`));
    },
    (session) => request('evaluate-lisp', { session, code: '(loop)', timeout: 0.01 + random() / 50 }, /\[TIMEOUT\]/),
    (session) => request('reset-session', { session }, /has a fresh Lisp/),
    (session) => request('interrupt', { session }, /Interrupted session|Nothing runs/),
    (session) => (random() < 0.3 ? request('close-session', { session }, /is closed/) : request('list-sessions', {})),
    () => {
      const open = [...sent].filter(([, { answers, cancelled }]) => answers.length === 0 && !cancelled);
      if (open.length === 0) return;
      const [requestId, victim] = pick(open);
      victim.cancelled = true;
      lisp.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    },
    (session) => {
      if (random() > 0.02) return;
      const code = '(sb-sys:without-interrupts (loop))';
      request('evaluate-lisp', { session, code, timeout: 0.02 }, /\[SESSION LOST\]/);
    },
  ];

  let requests = 0;
  let fulfilled = 0;
  for (let round = 0; round < INTERLEAVINGS; round += 1) {
    for (let step = 0; step < STEPS; step += 1) {
      pick(steps)(pick(SESSIONS));
      // The pauses are part of the interleaving, and follow from the seed.
      if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, random() * 10));
    }
    await Promise.all([...sent.values()].filter(({ cancelled }) => !cancelled).map(({ answered }) => answered));
    for (const [id, { answers, cancelled, expected }] of sent) {
      const context = `LISP_SEED=${SEED}, round ${round}, request ${id}: ${JSON.stringify(answers)}`;
      if (cancelled) expect(answers.length, context).toBeLessThanOrEqual(1);
      else expect(answers.length, context).toBe(1);
      const text = answers[0]?.result?.content[0].text;
      if (text === undefined || expected === undefined || OVERTAKEN.test(text)) continue;
      expect(text, context).toMatch(expected);
      fulfilled += 1;
    }
    requests += sent.size;
    for (const [id, { answers }] of sent) if (answers.length > 0) done.add(id);
    sent.clear();
  }

  // A late answer to a request that was cancelled is its first one.
  expect(strays.filter(({ id }) => done.has(id))).toEqual([]);
  expect(requests).toBeGreaterThan(INTERLEAVINGS * STEPS * 0.5);
  expect(fulfilled).toBeGreaterThan(requests * 0.5);
  for (const session of SESSIONS) {
    await lisp.call('close-session', { session });
    const { content } = await lisp.call('evaluate-lisp', { session, code: '(+ 1 2)' });
    expect(content[0].text).toMatch(/=> 3$|not started again before/);
  }
  expect(lisp.stderr()).toBe('');
});

/** Random numbers from 0 to 1 that a seed repeats. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
