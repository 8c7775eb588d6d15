import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredCredentials, TokenKey, TokenStore } from '@hawser/mcp/oauth';
import { isAlive } from '@hawser/user-files/alive';
import { takeFileLock } from '@hawser/user-files/file-lock';
import { machineName } from '@hawser/user-files/machine';
import {
  isExposed,
  makePrivateFolder,
  namesIn,
  readOwnFile,
  writePrivateFile,
  writerOf,
} from '@hawser/user-files/private-file';
import { hostPart, loginFolder } from './login-names.ts';

/** Larger ones could not be read back. */
const MAX_BYTES = 60 * 1024;

/**
 * Keeps each login in a file of mode 0600, in a folder of mode 0700. Files that others can read or write are refused.
 * `url` limits the list of keys to the logins at its host, so that a damaged file harms no other server.
 */
export function loginFiles(stateFolder: string, url?: string): TokenStore {
  const folder = loginFolder(stateFolder);
  const pathOf = (key: TokenKey) => join(folder, `${hostPart(key.resource)}${digestOf(key)}.json`);
  return {
    load: async (key) => {
      const found = readLogin(folder, pathOf(key));
      return found !== undefined && isSame(found, key) ? found.credentials : undefined;
    },
    save: async ({ issuer, resource }, credentials) => {
      const text = `${JSON.stringify({ issuer, resource, credentials }, undefined, 2)}\n`;
      if (Buffer.byteLength(text) > MAX_BYTES)
        throw new Error(`The tokens of ${issuer} are larger than ${MAX_BYTES} bytes`);
      makePrivateFolder(folder);
      checkFolder(folder);
      removeLeftovers(folder);
      writePrivateFile(pathOf({ issuer, resource }), text);
    },
    delete: async (key) => rmSync(pathOf(key), { force: true }),
    keys: async () => {
      const names = namesIn(folder).filter((name) => LOGIN.test(name));
      const chosen = url === undefined ? names : names.filter((name) => name.startsWith(hostPart(url)));
      return chosen.flatMap((name) => {
        const { issuer, resource } = readLogin(folder, join(folder, name)) ?? {};
        return issuer === undefined || resource === undefined ? [] : [{ issuer, resource }];
      });
    },
    lock: async (key, signal) => {
      makePrivateFolder(folder);
      return await takeFileLock(`${pathOf(key)}.lock`, signal);
    },
  };
}

const LOGIN = /^[^.].*-[0-9a-f]{32}\.json$/;

interface StoredLogin extends TokenKey {
  readonly credentials: StoredCredentials;
}

/** Undefined when there is none. Throws when others can read it, or it is not what `save` writes. */
function readLogin(folder: string, path: string): StoredLogin | undefined {
  const text = readOwnFile(path);
  if (text instanceof Error) throw text;
  // An empty one is left by a power failure.
  if (text === undefined || text === '') return undefined;
  checkFolder(folder);
  if (isExposed(path)) {
    throw new Error(
      `Other users of this machine can read or write your login in ${path}. If no other user has read it, run: chmod 600 ${path}. Otherwise remove the file and log in again.`,
    );
  }
  const value = parsed(text);
  if (!isLogin(value)) throw new Error(`${path} is damaged. Remove it and log in again.`);
  return value;
}

function checkFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const { mode, uid } = statSync(folder);
  if (uid !== process.getuid?.())
    throw new Error(`${folder} belongs to another user, so your logins can't be kept there.`);
  if ((mode & 0o077) !== 0) {
    throw new Error(`Other users of this machine can use ${folder}, which has your logins. Run: chmod 700 ${folder}`);
  }
}

/** Removes what a process was writing when it was killed: it has tokens in it. */
function removeLeftovers(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = writerOf(name);
    if (writer !== undefined && writer.machine === machineName() && !isAlive(writer.pid)) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

function digestOf({ issuer, resource }: TokenKey): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, resource]))
    .digest('hex')
    .slice(0, 32);
}

function isSame(one: TokenKey, other: TokenKey): boolean {
  return one.issuer === other.issuer && one.resource === other.resource;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLogin(value: unknown): value is StoredLogin {
  const { issuer, resource, credentials } = (value ?? {}) as Record<string, unknown>;
  if (typeof issuer !== 'string' || typeof resource !== 'string') return false;
  if (typeof credentials !== 'object' || credentials === null) return false;
  const { tokens } = credentials as StoredCredentials;
  return tokens === undefined || typeof tokens?.accessToken === 'string';
}
