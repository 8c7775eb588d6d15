import { describe, expect, it, vi } from 'vitest';
import { asError, ErrorFromPeer, messageOf, RpcError, toErrorObject } from './errors.ts';
import { describeError, reportError } from './report-error.ts';

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function errorWith(member: string, get: () => unknown, error = new Error('e')): Error {
  return Object.defineProperty(error, member, { get });
}

const fail = (): never => {
  throw new Error('unreadable');
};

const ODD: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a symbol', Symbol('s')],
  ['an object without a prototype', Object.create(null)],
  ['an object whose toString throws', { toString: fail }],
  ['a revoked proxy', revokedProxy()],
  ['an error whose message throws', errorWith('message', fail)],
  ['an error whose message is an object', errorWith('message', () => Object.create(null))],
  ['an error whose stack throws', errorWith('stack', fail)],
  ['an error whose stack is a symbol', errorWith('stack', () => Symbol('s'))],
  ['an error whose cause throws', errorWith('cause', fail)],
  ['an error whose cause is a revoked proxy', errorWith('cause', revokedProxy)],
  ['an RpcError whose message throws', errorWith('message', fail, new RpcError(1, 'e'))],
  ['an RpcError whose data throws', errorWith('data', fail, new RpcError(1, 'e'))],
  ['an RpcError without a code', errorWith('code', () => undefined, new RpcError(1, 'e'))],
  ['an RpcError whose code is no number', errorWith('code', () => '1', new RpcError(1, 'e'))],
  ['an RpcError whose code is no integer', errorWith('code', () => Number.NaN, new RpcError(1, 'e'))],
  ['a proxy of an error that can not be read', new Proxy(new RpcError(1, 'e'), { get: fail })],
  ['a proxy of an error without a prototype', new Proxy(new RpcError(1, 'e'), { getPrototypeOf: fail })],
];

describe('whatever a callback throws can be reported and sent as an error', () => {
  it.each(ODD)('%s', (_, thrown) => {
    expect(asError(thrown)).toBeInstanceOf(Error);
    expect(messageOf(thrown)).toEqual(expect.any(String));
    expect(JSON.parse(JSON.stringify(toErrorObject(thrown)))).toEqual({ code: -32603, message: expect.any(String) });
    const written = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      reportError(thrown, () => {
        throw thrown;
      });
      expect(written).toHaveBeenCalledTimes(2);
    } finally {
      written.mockRestore();
    }
  });
});

describe('an error on stderr', () => {
  it('of a peer is one line without control characters or a stack', () => {
    const text = describeError(new ErrorFromPeer('bad\n\u001b[2Jmessage\u202e'));
    expect(text).toBe('bad\\n\\u001b[2Jmessage\\u202e');
  });

  it('of ours has its stack, and its message is one line', () => {
    const lines = describeError(new TypeError('a\nb')).split('\n');
    expect(lines[0]).toBe('TypeError: a\\nb');
    expect(lines[1]).toMatch(/^ {4}at .*errors\.test\.ts/);
  });
});
