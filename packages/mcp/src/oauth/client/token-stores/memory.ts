import type { StoredCredentials, TokenKey, TokenStore } from '../token-store.ts';

/** Keeps credentials until the process ends. */
export function memoryTokenStore(): TokenStore {
  const stored = new Map<string, StoredCredentials>();
  const name = ({ issuer, resource }: TokenKey) => JSON.stringify([issuer, resource]);
  return {
    load: async (key) => stored.get(name(key)),
    save: async (key, credentials) => {
      stored.set(name(key), structuredClone(credentials));
    },
    delete: async (key) => {
      stored.delete(name(key));
    },
  };
}
