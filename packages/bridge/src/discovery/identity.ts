import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { hashedName } from '@hawser/user-files/names';
import { isExposed, makePrivateFolder, namesIn, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';
import { realFolders } from '@hawser/user-files/real-folders';
import { type Address, addressIn } from './address.ts';
import { removeHalfWritten } from './sweep.ts';

/** What stays the same across restarts: agents that lost the connection try the same address with the same token. */
export interface Identity extends Address {
  readonly token: string;
}

/** The adapter and the workspace that an identity belongs to. The order of the folders does not matter. */
export interface IdentityPlace {
  readonly stateFolder: string;
  readonly folders: readonly string[];
  readonly agent: string;
}

/** Undefined when there is none, or one that others could have read or written. */
export function recallIdentity(place: IdentityPlace): Identity | undefined {
  const path = identityPath(place);
  const text = readOwnFile(path);
  if (typeof text !== 'string' || isExposed(path)) return undefined;
  const members = parseObject(text) ?? {};
  const { agent, folders, token } = members;
  if (JSON.stringify({ agent, folders }) !== JSON.stringify(keyOf(place))) return undefined;
  const address = addressIn(members);
  return address !== undefined && typeof token === 'string' && TOKEN.test(token) ? { ...address, token } : undefined;
}

/** Gives a warning about the state folder, if there is one. Throws when it cannot be written. */
export function rememberIdentity(place: IdentityPlace, identity: Identity, now: Date): Error | undefined {
  const { warning } = makePrivateFolder(place.stateFolder);
  const { port, socketPath, token } = identity;
  const members = { ...keyOf(place), port, socketPath, token, used: now.toISOString() };
  writePrivateFile(identityPath(place), JSON.stringify(members));
  return warning;
}

/** What is remembered, without the tokens. */
export interface RememberedIdentity {
  /** Without it the next start makes another token and takes another address. */
  readonly file: string;
  readonly agent: string;
  readonly folders: readonly string[];
  /** As in `2026-01-31T12:00:00.000Z`; undefined if it does not say. */
  readonly used: string | undefined;
}

export function rememberedIdentities(stateFolder: string): readonly RememberedIdentity[] {
  return namesIn(stateFolder)
    .filter((name) => IDENTITY_NAME.test(name))
    .flatMap((name) => {
      const file = join(stateFolder, name);
      const text = readOwnFile(file);
      const { agent, folders, used } = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
      if (typeof agent !== 'string' || !Array.isArray(folders)) return [];
      return { file, agent, folders: folders.map(String), used: typeof used === 'string' ? used : undefined };
    });
}

/** Removes what has not been remembered since that time, and what crashes left half written. */
export function forgetIdentities(stateFolder: string, options: ForgetOptions): void {
  for (const name of namesIn(stateFolder)) {
    const path = join(stateFolder, name);
    if (IDENTITY_NAME.test(name) && lastUse(path) < options.usedBefore.getTime()) rmSync(path, { force: true });
  }
  removeHalfWritten(stateFolder, options);
}

export interface ForgetOptions {
  readonly usedBefore: Date;
  readonly isAlive: (pid: number) => boolean;
}

/** 32 random bytes. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Takes the same time wherever they differ, lengths included. An empty token never matches. */
export function sameToken(given: string | undefined, expected: string): boolean {
  const isSame = timingSafeEqual(digest(given ?? ''), digest(expected));
  return isSame && given !== undefined && expected !== '';
}

const TOKEN = /^[\w-]{43}$/;
const IDENTITY_NAME = /^identity-[0-9a-f]{32}\.json$/;

/** The beginning of time for a file that does not say. */
function lastUse(path: string): number {
  const text = readOwnFile(path);
  const { used } = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
  const time = typeof used === 'string' ? Date.parse(used) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

function identityPath(place: IdentityPlace): string {
  const { agent, folders } = keyOf(place);
  const hash = hashedName(JSON.stringify([agent, ...folders]));
  return join(place.stateFolder, `identity-${hash}.json`);
}

function keyOf({ agent, folders }: IdentityPlace): { readonly agent: string; readonly folders: readonly string[] } {
  return { agent, folders: realFolders(folders).sort() };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
