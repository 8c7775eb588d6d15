import { untilAborted } from '../../../jsonrpc/waiting.ts';
import type { StoredCredentials, TokenKey, TokenStore } from '../token-store.ts';

/** Keeps credentials until the process ends. */
export function memoryTokenStore(): TokenStore {
  const stored = new Map<string, { readonly key: TokenKey; readonly credentials: StoredCredentials }>();
  /** By name: settles when the lock is free. */
  const locks = new Map<string, Promise<void>>();
  const name = ({ issuer, resource }: TokenKey) => JSON.stringify([issuer, resource]);
  return {
    load: async (key) => stored.get(name(key))?.credentials,
    save: async (key, credentials) => {
      stored.set(name(key), { key: { ...key }, credentials: structuredClone(credentials) });
    },
    delete: async (key) => {
      stored.delete(name(key));
    },
    keys: async () => [...stored.values()].map(({ key }) => key),
    lock: async (key, signal) => {
      const before = locks.get(name(key)) ?? Promise.resolve();
      let free = () => {};
      const released = new Promise<void>((resolve) => {
        free = resolve;
      });
      locks.set(
        name(key),
        before.then(() => released),
      );
      try {
        await untilAborted(before, signal);
      } catch (error) {
        free();
        throw error;
      }
      return async () => free();
    },
  };
}
