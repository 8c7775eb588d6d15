// The protocol's edge cases, on the real server and its real wire.
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../packages/mcp/testing/json.ts';
import { cacheForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';
import { type Emitted, findings } from './sdk/message-check.ts';
import { VERSIONS } from './sdk/revision-members.ts';

const cache = cacheForTests();
let lisp: LispProgram;

afterEach(() => lisp?.close());

async function start(revision?: string): Promise<LispProgram> {
  lisp = startLisp([], cache);
  if (revision !== undefined) await greet(lisp, revision);
  return lisp;
}

const call = (id: unknown, name: unknown, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const evaluate = (id: unknown, code: string, more: object = {}) => call(id, 'evaluate-lisp', { code, ...more });

/** It lives if it still answers; anything unread before that would show here. */
async function expectAlive() {
  lisp.send({ jsonrpc: '2.0', id: 'alive?', method: 'ping' });
  expect(await lisp.next()).toEqual({ jsonrpc: '2.0', id: 'alive?', result: {} });
}

describe('the handshake', () => {
  it('agrees on 2025-03-26 and declares a list of tools that does not change', async () => {
    lisp = startLisp([], cache);
    expect(await greet(lisp, '2025-03-26')).toMatchObject({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'hawser-lisp' },
    });
  });

  it('comes before everything else', async () => {
    await start();
    lisp.send(evaluate(0, '(+ 1 2)'));
    expect(await lisp.next()).toMatchObject({ id: 0, error: { code: -32600 } });
    lisp.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } });
    expect(await lisp.next()).toMatchObject({ id: 1, error: { code: -32602 } });
    await greet(lisp);
    lisp.send(evaluate(2, '(+ 1 2)'));
    expect(await lisp.next()).toMatchObject({ id: 2, result: { content: [{ text: '=> 3' }] } });
  });
});

describe('what is no proper message', () => {
  it.each([
    ['nonsense', '(+ 1 2)', { code: -32700 }, null],
    ['JSON that is no message', '{"id":3,"method":"ping"}', { code: -32600 }, 3],
    ['a number', '42', { code: -32600 }, null],
    ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', { code: -32600 }, null],
    ['the id 1.5', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { code: -32600 }, null],
    ['the id true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', { code: -32600 }, null],
    ['an id over 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', { code: -32600 }, null],
  ])('%s is answered with an error, and the server lives', async (_what, text, error, id) => {
    await start('2025-03-26');
    lisp.send(text);
    expect(await lisp.next()).toMatchObject({ jsonrpc: '2.0', id, error });
    await expectAlive();
  });

  it('a line over the limit is answered with an error, and the server lives', async () => {
    await start('2025-11-25');
    lisp.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"${'x'.repeat(65 * 1024 * 1024)}"}}`);
    expect(await lisp.next()).toMatchObject({ id: 7, error: { code: -32600 } });
    await expectAlive();
  });

  it('a byte order mark, CRLF and blank lines are tolerated', async () => {
    await start();
    lisp.send('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}\r');
    expect(await lisp.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    for (const blank of ['', '\r', '  ']) lisp.send(blank);
    await expectAlive();
  });
});

describe('a call', () => {
  it.each(['evaluate-lips', '__proto__', 'toString', ''])('of the unknown tool %j is -32602', async (name) => {
    await start('2025-11-25');
    lisp.send(call(0, name));
    expect(await lisp.next()).toEqual({
      jsonrpc: '2.0',
      id: 0,
      error: { code: -32602, message: `Unknown tool: ${name}` },
    });
  });

  it.each([[{ jsonrpc: '2.0', id: 1, method: 'tools/call' }], [call(1, 5)], [call(1, 'evaluate-lisp', ['(+ 1 2)'])]])(
    'with malformed params %j is -32602',
    async (request) => {
      await start('2025-11-25');
      lisp.send(request);
      expect(await lisp.next()).toMatchObject({ id: 1, error: { code: -32602 } });
    },
  );

  it.each([
    [{}, 'code'],
    [{ code: 5 }, 'code'],
    [{ code: '1', timeout: -1 }, 'timeout'],
    [{ code: '1', 'on-error': 'panic' }, 'on-error'],
    [{ code: '1', colour: 'red' }, 'colour'],
  ])('with the wrong arguments %j is answered as its revision wants, and says which', async (args, which) => {
    await start('2025-06-18');
    lisp.send(call(1, 'evaluate-lisp', args));
    expect(await lisp.next()).toMatchObject({ error: { code: -32602, message: expect.stringContaining(which) } });
    await lisp.close();
    await start('2025-11-25');
    lisp.send(call(1, 'evaluate-lisp', args));
    expect(await lisp.next()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining(which) }] },
    });
  });

  it('in a batch is answered in a batch at 2025-03-26', async () => {
    await start('2025-03-26');
    lisp.send([evaluate(1, '(* 6 7)'), evaluate(2, '(error "x")'), { jsonrpc: '2.0', id: 3, method: 'ping' }]);
    const answers = await lisp.next();
    expect(answers).toHaveLength(3);
    expect(answers).toContainEqual(expect.objectContaining({ id: 3, result: {} }));
    expect(answers.find(({ id }: { id: number }) => id === 1).result.content[0].text).toBe('=> 42');
    expect(answers.find(({ id }: { id: number }) => id === 2).result).toMatchObject({ isError: true });
  });

  it('with an id still in flight is -32600, and the first goes on', async () => {
    await start('2025-11-25');
    lisp.send(evaluate(1, '(sleep 0.3)'));
    lisp.send(evaluate(1, '2'));
    expect(await lisp.next()).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(await lisp.next()).toMatchObject({ id: 1, result: { content: [{ text: '=> NIL' }] } });
  });

  it('that is cancelled is not answered, and what it ran is interrupted', async () => {
    await start('2025-11-25');
    await lisp.call('evaluate-lisp', { code: '(defvar *ended* nil)' });
    const code = '(unwind-protect (progn (print :begun) (finish-output) (loop)) (setf *ended* t))';
    const params = { name: 'evaluate-lisp', arguments: { code, timeout: 0 }, _meta: { progressToken: 'p' } };
    lisp.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(await lisp.next()).toMatchObject({ method: 'notifications/progress' });
    lisp.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    lisp.send(evaluate(2, '*ended*'));
    expect(await lisp.next()).toMatchObject({ id: 2, result: { content: [{ text: '=> T' }] } });
    await expectAlive();
  });

  it('that waits and is cancelled never runs', async () => {
    await start('2025-11-25');
    await lisp.call('evaluate-lisp', { code: '(defvar *ran* nil)' });
    lisp.send(evaluate(1, '(sleep 0.3)'));
    lisp.send(evaluate(2, '(setf *ran* t)'));
    lisp.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    lisp.send(evaluate(3, '*ran*'));
    expect(await lisp.next()).toMatchObject({ id: 1 });
    expect(await lisp.next()).toMatchObject({ id: 3, result: { content: [{ text: '=> NIL' }] } });
  });
});

describe('the end', () => {
  it('of stdin lets what runs be answered, then ends the program with 0', async () => {
    await start('2025-11-25');
    lisp.send(evaluate(1, '(progn (sleep 0.2) :just-in-time)'));
    lisp.process.stdin?.end();
    const exited = once(lisp.process, 'exit');
    expect(await lisp.next()).toMatchObject({ id: 1, result: { content: [{ text: '=> :JUST-IN-TIME' }] } });
    expect(await exited).toEqual([0, null]);
  });

  it('of stdin is not held up by code that never ends: it is answered with an error', async () => {
    await start('2025-11-25');
    lisp.send(evaluate(1, '(loop)', { timeout: 0 }));
    lisp.process.stdin?.end();
    const exited = once(lisp.process, 'exit');
    expect(await lisp.next()).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(await exited).toEqual([0, null]);
  });

  it('of stdout ends the program with 0', async () => {
    await start('2025-11-25');
    lisp.process.stdout?.destroy();
    const exited = once(lisp.process, 'exit');
    lisp.send(evaluate(1, '1'));
    expect(await exited).toEqual([0, null]);
  });
});

it('whatever the code writes to descriptor 1 is in the answer, and never on our stdout', async () => {
  await start('2025-11-25');
  const code = '(let ((s (sb-sys:make-fd-stream 1 :output t :buffering :none))) (write-line "{broken" s) 1)';
  const { content } = await lisp.call('evaluate-lisp', { code });
  expect(content[0].text).toBe('[stdout]\n{broken\n=> 1');
  await expectAlive();
  expect(lisp.stderr()).toBe('');
});

it.each(VERSIONS)('every message in %s keeps to the official schemas and to the revision', async (version) => {
  lisp = startLisp([], cache);
  const emitted: Emitted[] = [];
  const note = (message: Json, answers: string) => emitted.push({ from: 'server', message, version, answers });
  note({ jsonrpc: '2.0', id: 'handshake', result: await greet(lisp, version) }, 'initialize');
  lisp.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  note(await lisp.next(), 'tools/list');
  for (const [name, args] of [
    ['evaluate-lisp', { code: '(print 1) (finish-output) (sleep 0.2) (values 1 "two")' }],
    ['evaluate-lisp', { code: '(defun f (x) (warn "w") (/ x 0)) (+ 1 (f 1))', 'on-error': 'break' }],
    ['debugger', { action: 'locals' }],
    ['debugger', { action: 'abort' }],
    ['list-sessions', {}],
    ['configure-limits', {}],
    ['validate-syntax', { code: '(' }],
    ['evaluate-lisp', { code: '1', session: 'not a name' }],
    ['reset-session', {}],
    ['close-session', {}],
  ] as const) {
    const params = { name, arguments: args, _meta: { progressToken: 'token' } };
    lisp.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    for (let message = await lisp.next(); ; message = await lisp.next()) {
      note(message, 'tools/call');
      if (message.id === 2) break;
    }
  }
  expect(emitted.filter(({ message }) => message.method === 'notifications/progress')).not.toEqual([]);
  expect(findings(emitted)).toEqual([]);
});
