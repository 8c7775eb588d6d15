import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { loginFiles } from '../packages/client/src/login/login-files.ts';
import { mayHaveLogin } from '../packages/client/src/login/login-names.ts';
import { describeTokenStore } from '../packages/mcp/src/oauth/client/token-store.contract.ts';
import { machineName } from '../packages/user-files/src/machine.ts';

let state: string;

beforeEach(() => {
  state = temporaryFolder();
});

const key = { issuer: 'https://issuer.test', resource: 'https://mcp.test/mcp' };
const credentials = { tokens: { accessToken: 'a' } };
const folder = () => join(state, 'logins');
const fileOf = (prefix = '') => join(folder(), readdirSync(folder()).find((name) => name.startsWith(prefix)) ?? '');

describeTokenStore('login files', () => loginFiles(state));

describe('login files', () => {
  it('have modes that keep others out, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await loginFiles(state).save(key, credentials);
    } finally {
      process.umask(before);
    }
    expect([folder(), fileOf()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('of one host are listed without reading those of others', async () => {
    const store = loginFiles(state);
    await store.save(key, credentials);
    await store.save({ ...key, resource: 'https://mcp.test:8443/mcp' }, credentials);
    writeFileSync(fileOf('mcp.test_8443-'), 'damaged');
    expect(await loginFiles(state, 'https://mcp.test/other').keys?.()).toEqual([key]);
    await expect(store.keys?.()).rejects.toThrow('is damaged. Remove it and log in again.');
    expect(
      ['https://mcp.test/x', 'https://mcp.test:8443', 'https://other.test'].map((url) => mayHaveLogin(state, url)),
    ).toEqual([true, true, false]);
  });

  it('that are links, or of another server under the same name, are not used', async () => {
    const store = loginFiles(state);
    await store.save(key, credentials);
    const path = fileOf();
    writeFileSync(path, JSON.stringify({ ...key, issuer: 'https://other.test', credentials }));
    expect(await store.load(key)).toBeUndefined();
    rmSync(path);
    writeFileSync(join(state, 'elsewhere'), JSON.stringify({ ...key, credentials }), { mode: 0o600 });
    symlinkSync(join(state, 'elsewhere'), path);
    await expect(store.load(key)).rejects.toThrow('Not a regular file');
  });

  it('that a killed process was writing are removed by the next one', async () => {
    mkdirSync(folder(), { mode: 0o700 });
    const { pid } = spawnSync('true');
    const left = join(folder(), `.mcp.test-x.json.${machineName()}-${pid}-0123456789ab.tmp`);
    writeFileSync(left, 'tokens');
    await loginFiles(state).save(key, credentials);
    expect(existsSync(left)).toBe(false);
  });

  it('that are too large to be read back are not written', async () => {
    const store = loginFiles(state);
    await store.save(key, credentials);
    const large = { tokens: { accessToken: 'x'.repeat(70_000) } };
    await expect(store.save(key, large)).rejects.toThrow('larger than 61440 bytes');
    expect(await store.load(key)).toEqual(credentials);
  });

  it('have locks that do not outlive their process', async () => {
    const store = loginFiles(state);
    const { signal } = new AbortController();
    await (await store.lock?.(key, signal))?.();
    await store.save(key, credentials);
    const { pid } = spawnSync('true');
    writeFileSync(`${fileOf()}.lock`, `${machineName()} ${pid}`);
    await (await store.lock?.(key, signal))?.();
    expect(readdirSync(folder())).toHaveLength(1);
  });
});
