import { describe, expect, it } from 'vitest';
import type { StoredCredentials, TokenStore } from './token-store.ts';

const key = { issuer: 'https://issuer.test', resource: 'https://mcp.test/mcp' };
const credentials: StoredCredentials = {
  client: { clientId: 'c é', tokenEndpointAuthMethod: 'none', redirectUrl: 'http://127.0.0.1/callback' },
  tokens: {
    accessToken: 'a',
    refreshToken: 'r',
    expiresAt: 1_800_000_000_000,
    scope: 'x y',
    proofKey: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' },
  },
};

/** What every token store must do. */
export function describeTokenStore(name: string, make: () => TokenStore | Promise<TokenStore>): void {
  describe(`${name} keeps the contract of a token store`, () => {
    it('credentials are found as they were last saved, until they are deleted', async () => {
      const store = await make();
      expect(await store.load(key)).toBeUndefined();
      await store.save(key, credentials);
      expect(await store.load(key)).toEqual(credentials);
      await store.save(key, { tokens: { accessToken: 'b' } });
      expect(await store.load(key)).toEqual({ tokens: { accessToken: 'b' } });
      await store.delete(key);
      expect(await store.load(key)).toBeUndefined();
      await store.delete(key);
    });

    it('another issuer and another resource have their own credentials', async () => {
      const store = await make();
      await store.save(key, credentials);
      const others = [
        { ...key, issuer: 'https://issuer.test/' },
        { ...key, resource: 'https://mcp.test/mcp/' },
        { ...key, resource: 'https://mcp.test/MCP' },
        { issuer: key.resource, resource: key.issuer },
        { issuer: `${key.issuer} ${key.resource}`, resource: '' },
        { issuer: '../../etc', resource: '__proto__' },
      ];
      for (const [index, other] of others.entries()) {
        expect(await store.load(other)).toBeUndefined();
        await store.save(other, { tokens: { accessToken: `${index}` } });
      }
      for (const [index, other] of others.entries()) {
        expect(await store.load(other)).toEqual({ tokens: { accessToken: `${index}` } });
        await store.delete(other);
      }
      expect(await store.load(key)).toEqual(credentials);
    });

    it('calls take effect in the order in which they are made', async () => {
      const store = await make();
      const saves = ['1', '2', '3'].map((accessToken) => store.save(key, { tokens: { accessToken } }));
      const found = store.load(key);
      await Promise.all(saves);
      expect(await found).toEqual({ tokens: { accessToken: '3' } });
    });

    it('the list has the key of everything that is stored', async () => {
      const store = await make();
      expect(await store.keys?.()).toEqual([]);
      const other = { issuer: 'https://other.test', resource: key.resource };
      await store.save(key, credentials);
      await store.save(key, { tokens: { accessToken: 'b' } });
      await store.save(other, credentials);
      expect(await store.keys?.()).toHaveLength(2);
      expect(await store.keys?.()).toEqual(expect.arrayContaining([key, other]));
      await store.delete(key);
      expect(await store.keys?.()).toEqual([other]);
    });

    it('a lock is held by one at a time, and that of another key by another', async () => {
      const store = await make();
      const { signal } = new AbortController();
      const release = await store.lock?.(key, signal);
      await (await store.lock?.({ ...key, issuer: 'https://other.test' }, signal))?.();
      const order: string[] = [];
      const second = store.lock?.(key, signal).then(async (free) => {
        order.push('second');
        await free();
      });
      const impatient = new AbortController();
      const third = store.lock?.(key, impatient.signal);
      impatient.abort(new Error('given up'));
      await expect(third).rejects.toThrow('given up');
      order.push('first');
      await release?.();
      await second;
      expect(order).toEqual(['first', 'second']);
      await (await store.lock?.(key, signal))?.();
    });

    it('what a caller does to a value afterwards changes nothing in the store', async () => {
      const store = await make();
      const value = { tokens: { accessToken: 'a' } };
      await store.save(key, value);
      value.tokens.accessToken = 'changed';
      expect(await store.load(key)).toEqual({ tokens: { accessToken: 'a' } });
    });
  });
}
