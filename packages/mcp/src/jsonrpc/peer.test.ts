import { afterEach, describe, expect, it, vi } from 'vitest';
import { Recorder } from '../../testing/recorder.ts';
import { SILENT } from '../../testing/silent-handlers.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import type { Connection } from './connection.ts';
import { ConnectionClosed, RequestTimeout, RpcError } from './errors.ts';
import type { IncomingRequest } from './in-flight.ts';
import { DEFAULT_LIMITS, type PeerLimits } from './limits.ts';
import type { Notification, Request, RequestId } from './message.ts';
import { Peer, type PeerHandlers } from './peer.ts';

/** A peer whose other end is a recorder that speaks raw messages. */
function peerAndWire(handlers: Partial<PeerHandlers> = {}, limits: PeerLimits = {}) {
  const [ours, theirs] = memoryPair({ copy: 'json' });
  const peer = new Peer(ours, { ...SILENT, ...handlers }, { ...DEFAULT_LIMITS, ...limits });
  const wire = new Recorder();
  theirs.start(wire);
  peer.start();
  return { peer, wire, theirs };
}

const ask = (id: RequestId, method = 'ask'): Request => ({ jsonrpc: '2.0', id, method });
const never = () => new Promise<never>(() => {});

/** Everything sent so far has been read and acted upon. */
async function settle(theirs: Connection, wire: Recorder) {
  theirs.send(ask('settled?', 'settled?'));
  await wire.until(({ messages }) => messages.some(({ id }) => id === 'settled?'));
}

const circular: { self?: unknown } = {};
circular.self = circular;

afterEach(() => {
  vi.useRealTimers();
});

describe('maxBatch', () => {
  const batchOf = (length: number) => Array.from({ length }, (_, id) => ask(id));

  it('takes 1024 messages in one batch and refuses one more as a whole', () => {
    const sent: unknown[] = [];
    const connection = { ...memoryPair()[0], start: () => {}, send: (message: unknown) => void sent.push(message) };
    const peer = new Peer(connection as Connection, SILENT);
    peer.batch(batchOf(1024));
    expect(sent).toMatchObject([{ length: 1024 }]);
    peer.batch(batchOf(1025));
    expect(sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Invalid request: a batch holds at most 1024 messages' },
      },
    ]);
  });
});

describe('a request gets exactly one response when its handler', () => {
  const outcomes: [string, () => unknown, object][] = [
    ['returns a value', () => ({ n: 1 }), { result: { n: 1 } }],
    ['returns null', () => null, { result: null }],
    ['returns nothing', () => undefined, { result: {} }],
    ['resolves', async () => 'later', { result: 'later' }],
    ['resolves with nothing', async () => {}, { result: {} }],
    ['returns a foreign thenable', () => thenable((resolve) => resolve('foreign')), { result: 'foreign' }],
    ['settles twice', () => settlingTwice(), { result: 1 }],
    ['throws', () => fail(new Error('broken')), { error: { code: -32603, message: 'Internal error: broken' } }],
    ['rejects', async () => fail(new Error('broken')), { error: { code: -32603, message: 'Internal error: broken' } }],
    [
      'throws undefined',
      () => fail(undefined),
      { error: { code: -32603, message: 'Internal error: no reason given' } },
    ],
    ['rejects with undefined', () => Promise.reject(undefined), { error: { code: -32603 } }],
    ['throws a value without a text', () => fail(Object.create(null)), { error: { code: -32603 } }],
    [
      'throws an RpcError',
      () => fail(new RpcError(-32001, 'no', { why: 1 })),
      { error: { code: -32001, message: 'no', data: { why: 1 } } },
    ],
    [
      'throws an RpcError with data that is no JSON',
      () => fail(new RpcError(1, 'no', 1n)),
      { error: { code: -32603 } },
    ],
    ['returns a circular object', () => circular, { error: { code: -32603 } }],
    ['returns a BigInt', async () => 10n, { error: { code: -32603 } }],
    ['returns a function', () => () => 1, { error: { code: -32603 } }],
    [
      'returns an object whose toJSON throws',
      () => ({ toJSON: () => fail(new Error('x')) }),
      { error: { code: -32603 } },
    ],
  ];

  it.each(outcomes)('%s', async (_how, handler, response) => {
    const { wire, theirs } = peerAndWire({ respond: ({ method }) => (method === 'ask' ? handler() : {}) });
    theirs.send(ask(0));
    await wire.until(({ messages }) => messages.length > 0);
    await settle(theirs, wire);
    expect(wire.messages).toHaveLength(2);
    expect(wire.messages[0]).toMatchObject({ jsonrpc: '2.0', id: 0, ...response });
  });

  it('a response that is no JSON is reported', async () => {
    const errors: Error[] = [];
    const { wire, theirs } = peerAndWire({ respond: () => ({ n: 1n }), failed: (error) => errors.push(error) });
    theirs.send(ask(0));
    await wire.until(({ messages }) => messages.length > 0);
    expect(errors.map(({ message }) => message)).toEqual(['Do not know how to serialize a BigInt']);
  });

  function fail(thrown: unknown): never {
    throw thrown;
  }

  function settlingTwice() {
    return thenable((resolve, reject) => {
      resolve(1);
      reject(2);
    });
  }

  function thenable(then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void) {
    return { then };
  }
});

describe('a request that never settles', () => {
  it('gets no response and an aborted signal when it is cancelled', async () => {
    const { peer, wire, theirs } = peerAndWire({ respond: ({ method }) => (method === 'ask' ? never() : {}) });
    theirs.send(ask(1));
    await settle(theirs, wire);
    peer.cancel(1, new Error('enough'));
    await settle(theirs, wire);
    expect(wire.messages.filter(({ id }) => id === 1)).toEqual([]);
  });

  it('gets one error when it is cancelled and respondToCancelled is set', async () => {
    const handlers = { respond: ({ method }: Request) => (method === 'ask' ? never() : {}) };
    const { peer, wire, theirs } = peerAndWire(handlers, { respondToCancelled: true });
    theirs.send(ask(1));
    await settle(theirs, wire);
    peer.cancel(1, new Error('enough'));
    await wire.until(({ messages }) => messages.some(({ id }) => id === 1));
    expect(wire.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32800, message: 'Request cancelled' },
    });
  });

  it('gets one error when this side closes', async () => {
    const { peer, wire, theirs } = peerAndWire({ respond: ({ method }) => (method === 'ask' ? never() : {}) });
    theirs.send(ask(1));
    await settle(theirs, wire);
    await peer.close('going home');
    await wire.until(({ closings }) => closings.length > 0);
    expect(wire.messages.filter(({ id }) => id === 1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error: closed before the response: going home' },
      },
    ]);
  });

  it('has its signal aborted when the peer goes away', async () => {
    const seen: AbortSignal[] = [];
    const { wire, theirs } = peerAndWire({
      respond: ({ method }, { signal }) => {
        if (method !== 'ask') return {};
        seen.push(signal);
        return never();
      },
    });
    theirs.send(ask(1));
    await settle(theirs, wire);
    const aborted = new Promise((resolve) => seen[0]?.addEventListener('abort', resolve));
    await theirs.close();
    await aborted;
    expect(seen[0]?.reason).toBeInstanceOf(ConnectionClosed);
  });
});

describe('a signal', () => {
  it('that is first looked at after the cancellation is aborted already', async () => {
    const kept: IncomingRequest[] = [];
    const { peer, wire, theirs } = peerAndWire({
      respond: ({ method }, incoming) => {
        if (method !== 'ask') return {};
        kept.push(incoming);
        return never();
      },
    });
    theirs.send(ask(1));
    await settle(theirs, wire);
    peer.cancel(1, new Error('enough'));
    expect(kept[0]?.signal.aborted).toBe(true);
    expect(kept[0]?.signal.reason).toEqual(new Error('enough'));
  });
});

describe('limits', () => {
  it('requests beyond the limit are refused with an error and the others go on', async () => {
    const go: (() => void)[] = [];
    const { wire, theirs } = peerAndWire(
      { respond: () => new Promise<string>((resolve) => go.push(() => resolve('done'))) },
      { maxInFlight: 2 },
    );
    for (const id of [1, 2, 3]) theirs.send(ask(id));
    await wire.until(({ messages }) => messages.length === 1);
    expect(wire.messages[0]).toEqual({
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32000, message: 'Too many requests at once: 2 are open' },
    });
    for (const release of go) release();
    await wire.until(({ messages }) => messages.length === 3);
    expect(wire.messages.slice(1)).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: 'done' })));
  });
});

describe('asking', () => {
  it('responses find their requests in any order, by ids that are numbers', async () => {
    const { peer, wire, theirs } = peerAndWire();
    const responses = [peer.request('a'), peer.request('b', [1]), peer.request('c', { x: 1 })];
    await wire.until(({ messages }) => messages.length === 3);
    expect(wire.messages.map(({ method }) => method)).toEqual(['a', 'b', 'c']);
    for (const request of [...wire.messages].reverse() as Request[]) {
      theirs.send({ jsonrpc: '2.0', id: request.id, result: `for ${request.method}` });
    }
    expect(await Promise.all(responses)).toEqual(['for a', 'for b', 'for c']);
  });

  it('an error response rejects with its code, message and data', async () => {
    const { peer, wire, theirs } = peerAndWire();
    const response = peer.request('a');
    await wire.until(({ messages }) => messages.length === 1);
    theirs.send({ jsonrpc: '2.0', id: (wire.messages[0] as Request).id, error: { code: 5, message: 'no', data: [1] } });
    await expect(response).rejects.toMatchObject({ name: 'RpcError', code: 5, message: 'no', data: [1] });
  });

  it('a request that is no JSON rejects and leaves nothing behind', async () => {
    const { peer, wire, theirs } = peerAndWire();
    await expect(peer.request('a', { n: 1n })).rejects.toThrow('BigInt');
    await settle(theirs, wire);
    expect(wire.messages).toHaveLength(1);
  });

  it('aborting rejects with the reason and tells the peer; a late response is ignored', async () => {
    const abandoned: [RequestId, string][] = [];
    const { peer, wire, theirs } = peerAndWire({ abandoned: (id, reason) => abandoned.push([id, reason.message]) });
    const controller = new AbortController();
    const response = peer.request('a', undefined, { signal: controller.signal });
    await wire.until(({ messages }) => messages.length === 1);
    controller.abort(new Error('changed my mind'));
    await expect(response).rejects.toThrow('changed my mind');
    const { id } = wire.messages[0] as Request;
    expect(abandoned).toEqual([[id, 'changed my mind']]);
    theirs.send({ jsonrpc: '2.0', id, result: {} });
    await settle(theirs, wire);
  });

  it('a signal aborted beforehand sends nothing', async () => {
    const { peer, wire, theirs } = peerAndWire();
    const signal = AbortSignal.abort(new Error('too early'));
    await expect(peer.request('a', undefined, { signal })).rejects.toThrow('too early');
    await settle(theirs, wire);
    expect(wire.messages).toHaveLength(1);
  });

  it('a settled request takes its listener off the signal', async () => {
    const { peer, wire, theirs } = peerAndWire();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const response = peer.request('a', undefined, { signal });
    await wire.until(({ messages }) => messages.length === 1);
    theirs.send({ jsonrpc: '2.0', id: (wire.messages[0] as Request).id, result: 1 });
    await response;
    expect(removed).toHaveBeenCalledOnce();
  });

  it('requests still open when the connection ends reject with the reason, and later ones too', async () => {
    const { peer, theirs } = peerAndWire();
    const response = peer.request('a');
    await theirs.close('lights out');
    await expect(response).rejects.toThrow(ConnectionClosed);
    await expect(response).rejects.toThrow('lights out');
    await expect(peer.request('b')).rejects.toThrow('lights out');
  });

  it('an error without an id is reported as a complaint', async () => {
    const complaints: string[] = [];
    const { wire, theirs } = peerAndWire({ errorWithoutId: ({ message }) => complaints.push(message) });
    theirs.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } });
    theirs.send({ jsonrpc: '2.0', error: { code: -32700, message: 'pardon?' } });
    await settle(theirs, wire);
    expect(complaints).toEqual(['what?', 'pardon?']);
  });
});

describe('a timeout', () => {
  const fakeTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

  it('rejects when no response arrives in time, and notifies the peer', async () => {
    fakeTime();
    const abandoned: string[] = [];
    const { peer } = peerAndWire({ abandoned: (_id, { message }) => abandoned.push(message) });
    const slow = peer.request('slow', undefined, { timeout: 1000 });
    const slower = peer.request('slower', undefined, { timeout: 3000 });
    const outcomes: string[] = [];
    slow.catch((error) => outcomes.push(`${error.name} ${error.message}`));
    slower.catch((error) => outcomes.push(error.message));
    await vi.advanceTimersByTimeAsync(990);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(30);
    expect(outcomes).toEqual(['RequestTimeout slow got no response within 1000 ms']);
    await vi.advanceTimersByTimeAsync(2000);
    expect(outcomes[1]).toBe('slower got no response within 3000 ms');
    expect(abandoned).toHaveLength(2);
  });

  it('starts anew with each progress, up to the maximum', async () => {
    fakeTime();
    const { peer, theirs } = peerAndWire();
    const progress: unknown[] = [];
    const id = peer.nextId();
    const onProgress = (value: unknown) => progress.push(value);
    const response = peer.request('long', undefined, { id, timeout: 1000, maxTimeout: 2500, onProgress });
    const failure = response.catch((error) => error);
    for (const n of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(800);
      peer.progress(id, n);
    }
    expect(progress).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await failure).toBeInstanceOf(RequestTimeout);
    peer.progress(id, 4);
    expect(progress).toEqual([1, 2, 3]);
    await theirs.close();
  });

  it('does not fire for a request that gets its response in time', async () => {
    fakeTime();
    const abandoned = vi.fn();
    const { peer, wire, theirs } = peerAndWire({ abandoned });
    const response = peer.request('quick', undefined, { timeout: 1000 });
    await wire.until(({ messages }) => messages.length === 1);
    theirs.send({ jsonrpc: '2.0', id: (wire.messages[0] as Request).id, result: 'in time' });
    expect(await response).toBe('in time');
    await vi.advanceTimersByTimeAsync(5000);
    expect(abandoned).not.toHaveBeenCalled();
  });
});

describe('the end of the other half', () => {
  it('our open requests reject, those of the peer get their responses, then the connection closes', async () => {
    const go: (() => void)[] = [];
    const { peer, wire, theirs } = peerAndWire({
      respond: ({ method }) => (method === 'ask' ? new Promise((resolve) => go.push(() => resolve('done'))) : {}),
    });
    theirs.send(ask(1));
    await settle(theirs, wire);
    const mine = peer.request('mine');
    peer.ended();
    await expect(mine).rejects.toThrow('The peer has stopped sending');
    await expect(peer.request('too late')).rejects.toThrow('The peer has stopped sending');
    expect(wire.closings).toEqual([]);
    go[0]?.();
    await wire.until(({ closings }) => closings.length > 0);
    expect(wire.messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: 'done' });
  });

  it('what gets no response within the time to drain gets an error', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const handlers = { respond: ({ method }: Request) => (method === 'ask' ? never() : {}) };
    const { peer, wire, theirs } = peerAndWire(handlers, { drainTimeout: 100 });
    theirs.send(ask(1));
    await settle(theirs, wire);
    peer.ended();
    await vi.advanceTimersByTimeAsync(100);
    await wire.until(({ closings }) => closings.length > 0);
    expect(wire.messages.at(-1)).toMatchObject({ id: 1, error: { code: -32603 } });
  });
});

describe('notifications', () => {
  it('reach the handler with their params and never get a response', async () => {
    const received: Notification[] = [];
    const { peer, wire, theirs } = peerAndWire({ receive: (notification) => received.push(notification) });
    theirs.send({ jsonrpc: '2.0', method: 'a' });
    theirs.send({ jsonrpc: '2.0', method: 'b', params: [1] });
    await settle(theirs, wire);
    expect(received).toEqual([
      { jsonrpc: '2.0', method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: [1] },
    ]);
    peer.notify('c', { x: 1 });
    await settle(theirs, wire);
    expect(wire.messages.filter(({ method }) => method !== undefined)).toEqual([
      { jsonrpc: '2.0', method: 'c', params: { x: 1 } },
    ]);
  });
});
