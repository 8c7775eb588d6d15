import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { digest, StateSigner } from './state-signer.ts';

afterEach(() => {
  vi.useRealTimers();
});

const STATE = { request: 'x', responses: { name: 'Ada', n: [1, null, { deep: true }] } };
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a sealed state', () => {
  it('is accepted by the server that signed it, and by all that share the secret', async () => {
    const own = new StateSigner(undefined);
    expect(await own.verify(await own.sign(STATE))).toEqual(STATE);
    const text = await new StateSigner('secret').sign(STATE);
    expect(await new StateSigner('secret').verify(text)).toEqual(STATE);
    expect(await new StateSigner(new TextEncoder().encode('secret')).verify(text)).toEqual(STATE);
  });

  it('holds whatever JSON can say', async () => {
    const signer = new StateSigner('secret');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const state = JSON.parse(JSON.stringify(value)); // there is no -0 in JSON
        expect(await signer.verify(await signer.sign(state))).toEqual(state);
      }),
    );
  });

  it('is a text that may stand anywhere: base64url and a dot', async () => {
    expect(await new StateSigner(undefined).sign({ text: 'é😀"\n' })).toMatch(/^[\w-]+\.[\w-]{43}$/);
  });

  it('is nothing to those with another secret', async () => {
    const text = await new StateSigner('one').sign(STATE);
    for (const other of ['two', 'one ', '', undefined]) {
      if (other === '') continue; // no key at all is refused by the platform
      expect(await new StateSigner(other).verify(text)).toBeUndefined();
    }
    expect(await new StateSigner(undefined).verify(await new StateSigner(undefined).sign(STATE))).toBeUndefined();
  });

  it('is nothing once any character was changed, added or taken away', async () => {
    const signer = new StateSigner('secret');
    const text = await signer.sign(STATE);
    const place = fc.nat({ max: text.length - 1 });
    const character = fc.oneof(
      fc.constantFrom(...`${BASE64URL}.=+/ `),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(place, character, fc.constantFrom('change', 'add', 'remove'), async (at, put, how) => {
        const kept = how === 'add' ? text.slice(at) : text.slice(at + 1);
        const changed = `${text.slice(0, at)}${how === 'remove' ? '' : put}${kept}`;
        fc.pre(changed !== text);
        expect(await signer.verify(changed)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing with the last bits of its signature changed, which decoding would ignore', async () => {
    const signer = new StateSigner('secret');
    const text = await signer.sign(STATE);
    for (const last of BASE64URL) {
      const changed = text.slice(0, -1) + last;
      if (changed !== text) expect(await signer.verify(changed)).toBeUndefined();
    }
    for (const suffix of ['=', '==', '\n', ' ', '.', '.x', '-TAMPERED']) {
      expect(await signer.verify(text + suffix)).toBeUndefined();
    }
  });

  it('is nothing when it was made of the parts of two', async () => {
    const signer = new StateSigner('secret');
    const [one = '', two = ''] = [await signer.sign({ n: 1 }), await signer.sign({ n: 2 })];
    const [body] = one.split('.');
    const [, signature] = two.split('.');
    expect(await signer.verify(`${body}.${signature}`)).toBeUndefined();
  });

  it('is nothing when it is nonsense', async () => {
    const signer = new StateSigner('secret');
    for (const nonsense of ['', '.', '..', 'x', 'x.y', '.y', 'x.', 'é.é', '\u0000']) {
      expect(await signer.verify(nonsense)).toBeUndefined();
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await signer.verify(text)).toBeUndefined();
      }),
    );
  });

  it('is nothing an hour later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const signer = new StateSigner('secret');
    const text = await signer.sign(STATE);
    vi.advanceTimersByTime(3_599_999);
    expect(await signer.verify(text)).toEqual(STATE);
    vi.advanceTimersByTime(1);
    expect(await signer.verify(text)).toBeUndefined();
  });
});

describe('a digest', () => {
  it('is the same for equal values, whatever the order of their members', async () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, shuffled(member)]),
      );
    };
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await digest(shuffled(value))).toBe(await digest(value));
      }),
    );
  });

  it('is another for other values', async () => {
    const values = [{}, [], null, '', 0, [1, 2], [2, 1], { a: 1 }, { a: '1' }, { b: 1 }, [[1], 2], [1, [2]], '{}'];
    const digests = await Promise.all(values.map(digest));
    expect(new Set(digests).size).toBe(values.length);
    const proto = JSON.parse('{"__proto__":1}');
    expect(await digest(proto)).not.toBe(await digest({}));
  });
});
