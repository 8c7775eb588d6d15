import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { machineName } from '@hawser/user-files/machine';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import {
  forgetIdentities,
  type IdentityPlace,
  newToken,
  recallIdentity,
  rememberIdentity,
  sameToken,
} from './identity.ts';

const now = new Date('2026-08-01T12:00:00Z');
const token = newToken();

describe('an identity', () => {
  it('is recalled for the same workspace and agent as it was remembered', () => {
    const place = newPlace();
    expect(recallIdentity(place)).toBeUndefined();
    expect(rememberIdentity(place, { port: 40123, token }, now)).toBeUndefined();
    expect(recallIdentity(place)).toEqual({ port: 40123, token });
  });

  it('has a socket in place of a port, or neither counts', () => {
    const place = newPlace();
    const identity = { port: 0, socketPath: '/run/a.sock', token };
    rememberIdentity(place, identity, now);
    expect(recallIdentity(place)).toEqual(identity);
    for (const odd of [
      { port: 0, token },
      { port: 1, socketPath: '/run/a.sock', token },
      { port: 0, socketPath: 'a' },
    ]) {
      rememberIdentity(place, { token, ...odd }, now);
      expect(recallIdentity(place)).toBeUndefined();
    }
  });

  it('is that of the real folders, in whatever order and by whatever link', () => {
    const place = newPlace();
    const [a = '', b = ''] = place.folders;
    rememberIdentity(place, { port: 40123, token }, now);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(a, link);
    expect(recallIdentity({ ...place, folders: [b, link, a] })).toEqual({ port: 40123, token });
  });

  it('is not that of another agent, another workspace or a part of it', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    expect(recallIdentity({ ...place, agent: 'jetbrains' })).toBeUndefined();
    expect(recallIdentity({ ...place, folders: place.folders.slice(1) })).toBeUndefined();
    expect(recallIdentity({ ...place, folders: [temporaryFolder()] })).toBeUndefined();
  });

  it('is the last one that was remembered', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    const next = { port: 40124, token: newToken() };
    rememberIdentity(place, next, now);
    expect(recallIdentity(place)).toEqual(next);
    expect(readdirSync(place.stateFolder)).toHaveLength(1);
  });

  it('is kept from other users', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    expect(statSync(place.stateFolder).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf(place)).mode & 0o777).toBe(0o600);
  });

  it('is remembered with a warning where everybody can write', () => {
    const place = newPlace();
    mkdirSync(place.stateFolder);
    chmodSync(place.stateFolder, 0o777);
    expect(rememberIdentity(place, { port: 40123, token }, now)?.message).toContain('Every user of this machine');
  });

  it('that others could read or write is not recalled', () => {
    for (const mode of [0o604, 0o620, 0o640]) {
      const place = newPlace();
      rememberIdentity(place, { port: 40123, token }, now);
      chmodSync(fileOf(place), mode);
      expect(recallIdentity(place)).toBeUndefined();
    }
  });

  it.skipIf(process.getuid?.() !== 0)('that another user planted is not recalled (needs root)', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    chownSync(fileOf(place), 12_345, 12_345);
    expect(recallIdentity(place)).toBeUndefined();
  });

  it.each([
    ['nonsense', 'nonsense'],
    ['without a port', JSON.stringify({ token })],
    ['with a port that is none', JSON.stringify({ port: 0, token })],
    ['with a token too short to be one', JSON.stringify({ port: 40123, token: 'short' })],
  ])('whose file was spoilt is not recalled: %s', (_how, text) => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    writeFileSync(fileOf(place), text);
    expect(recallIdentity(place)).toBeUndefined();
  });

  it('whose file names another workspace is not recalled', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    const { folders, ...rest } = JSON.parse(readFileSync(fileOf(place), 'utf8'));
    writeFileSync(fileOf(place), JSON.stringify({ ...rest, folders: [...folders, '/elsewhere'] }));
    expect(recallIdentity(place)).toBeUndefined();
  });

  it('is forgotten when it was not used for long, with what crashes left', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, new Date('2026-01-01T00:00:00Z'));
    const recent = { ...place, agent: 'jetbrains' };
    rememberIdentity(recent, { port: 40124, token }, now);
    for (const name of [
      `.x.json.${machineName()}-100-0123456789ab.tmp`,
      `.x.json.${machineName()}-200-0123456789ab.tmp`,
      'notes.txt',
    ]) {
      writeFileSync(join(place.stateFolder, name), '');
    }
    const isAlive = (pid: number) => pid === 200;
    forgetIdentities(place.stateFolder, { usedBefore: new Date('2026-07-01T00:00:00Z'), isAlive });
    expect(recallIdentity(place)).toBeUndefined();
    expect(recallIdentity(recent)).toEqual({ port: 40124, token });
    expect(readdirSync(place.stateFolder)).toHaveLength(3);
    expect(readdirSync(place.stateFolder)).not.toContain(`.x.json.${machineName()}-100-0123456789ab.tmp`);
  });

  it('says in its file whose it is and when it was used', () => {
    const place = newPlace();
    rememberIdentity(place, { port: 40123, token }, now);
    expect(JSON.parse(readFileSync(fileOf(place), 'utf8'))).toEqual({
      agent: 'claude-code',
      folders: [...place.folders].sort(),
      port: 40123,
      token,
      used: '2026-08-01T12:00:00.000Z',
    });
  });
});

describe('a token', () => {
  it('is 32 bytes that no two calls share', () => {
    const tokens = Array.from({ length: 1000 }, newToken);
    expect(new Set(tokens).size).toBe(1000);
    expect(tokens.every((each) => Buffer.from(each, 'base64url').length === 32)).toBe(true);
  });

  it('is the same only as itself', () => {
    expect(sameToken(token, token)).toBe(true);
    for (const other of [newToken(), token.slice(1), `${token}x`, '', undefined, token.toUpperCase()]) {
      expect(sameToken(other, token)).toBe(false);
    }
  });

  it('that is empty or absent matches no token', () => {
    expect(sameToken('', '')).toBe(false);
    expect(sameToken(undefined, '')).toBe(false);
  });
});

function newPlace(): IdentityPlace {
  return {
    stateFolder: join(temporaryFolder(), 'state'),
    folders: [temporaryFolder(), temporaryFolder()],
    agent: 'claude-code',
  };
}

function fileOf({ stateFolder }: IdentityPlace): string {
  const [name = ''] = readdirSync(stateFolder);
  return join(stateFolder, name);
}
