import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Access, makeAccess } from './access.ts';
import { DENIED_BY_DEFAULT } from './deny-list.ts';
import { contains, sameRoot } from './paths.ts';

let root = '';
let work = '';
let second = '';
let home = '';
let away = '';

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-access-')));
  [work, second, home, away] = ['work', 'second', 'home', 'away'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const file of ['work/a.ts', 'work/sub/b.ts', 'second/c.ts', 'home/notes.txt', 'away/d.ts', 'work-too/e.ts']) {
    write(file);
  }
  for (const file of ['work/.env', 'work/plain.txt', 'work/a b.ts', 'work/100%25.ts', 'work/é#?.ts']) write(file);
  link(away, 'work/out');
  link(join(work, 'sub'), 'work/in');
  link(join(away, 'not-yet.ts'), 'work/dangling-out');
  link('not-yet.ts', 'work/dangling-in');
  link('../away/d.ts', 'work/relative-out');
  link('loop', 'work/loop');
  link('.env', 'work/innocent.txt');
  link('plain.txt', 'work/.env.linked');
  link(work, 'alias');
});

afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const access = () => makeAccess({ folders: [work, second], home });
const isDenied = async (given: Access, path: string) => (await given.visibility(path)) === 'denied';
const opened = (path: string) => access().resolve(path, { for: 'open' });

describe('a path in the workspace resolves to its real path', () => {
  it.each([
    ['absolute', () => `${work}/a.ts`, 'work/a.ts'],
    ['relative, in the first folder', () => 'sub/b.ts', 'work/sub/b.ts'],
    ['in the second folder', () => `${second}/c.ts`, 'second/c.ts'],
    ['the folder itself', () => work, 'work'],
    ['with dots that stay inside', () => `${work}/sub/../a.ts`, 'work/a.ts'],
    ['through a link that stays inside', () => `${work}/in/b.ts`, 'work/sub/b.ts'],
    ['through a link to the workspace', () => `${root}/alias/a.ts`, 'work/a.ts'],
    ['of a file that does not exist yet', () => 'new.ts', 'work/new.ts'],
    ['of a file in folders that do not exist yet', () => 'x/y/z.ts', 'work/x/y/z.ts'],
    ['of a new file behind a link that stays inside', () => 'in/new.ts', 'work/sub/new.ts'],
    ['of a link to a file inside that does not exist yet', () => 'dangling-in', 'work/not-yet.ts'],
    ['that begins with dots in its name', () => '..a.ts', 'work/..a.ts'],
    ['that begins with a tilde in its name', () => '~a.ts', 'work/~a.ts'],
    ['as a raw file URL', () => `file://${work}/a b.ts`, 'work/a b.ts'],
    ['as an encoded file URL', () => `file://${work}/a%20b.ts`, 'work/a b.ts'],
    ['as a raw file URL with the signs of a URL', () => `file://${work}/é#?.ts`, 'work/é#?.ts'],
    ['as the same, encoded', () => pathToFileURL(`${work}/é#?.ts`).href, 'work/é#?.ts'],
    ['as a raw file URL of a name that looks encoded', () => `file://${work}/100%25.ts`, 'work/100%25.ts'],
    ['as an encoded file URL of a new file', () => `file://${work}/n%20w.ts`, 'work/n w.ts'],
    ['as a file URL with a lone percent sign', () => `file://${work}/50%.ts`, 'work/50%.ts'],
    ['as a file URL of localhost', () => `file://localhost${work}/a.ts`, 'work/a.ts'],
    ['as a file URL with one slash', () => `FILE:${work}/a.ts`, 'work/a.ts'],
  ])('%s', async (_fact, path, expected) => {
    expect(await opened(path())).toBe(join(root, expected));
  });

  it('relative, against the folder that is the first now', async () => {
    const moving = access();
    moving.folders = [second];
    expect(await moving.resolve('c.ts', { for: 'open' })).toBe(join(second, 'c.ts'));
    await expect(moving.resolve(`${work}/a.ts`, { for: 'open' })).rejects.toMatchObject({ code: 'outside' });
  });

  it('when the workspace is named by a link', async () => {
    const linked = makeAccess({ folders: [join(root, 'alias')] });
    expect(await linked.resolve('a.ts', { for: 'read' })).toBe(join(work, 'a.ts'));
  });
});

describe('a path outside the workspace is refused', () => {
  it.each([
    ['absolute', () => `${away}/d.ts`],
    ['with dots', () => '../away/d.ts'],
    ['with dots after a folder that does not exist', () => 'x/../../away/d.ts'],
    ['the parent', () => '..'],
    ['the root', () => '/'],
    ['beside a folder whose name begins alike', () => `${work}-too/e.ts`],
    ['through a link to a folder', () => 'out/d.ts'],
    ['through a relative link to a file', () => 'relative-out'],
    ['a new file behind a link', () => 'out/new/file.ts'],
    ['a link to a file outside that does not exist yet', () => 'dangling-out'],
    ['in the home folder', () => '~/notes.txt'],
    ['the home folder', () => '~'],
    ['a raw file URL', () => `file://${away}/d.ts`],
    ['a file URL with encoded dots', () => `file://${work}/%2e%2e/away/d.ts`],
    ['a file URL with an encoded slash', () => `file://${work}/..%2Faway%2Fd.ts`],
    ['of a drive', () => 'C:\\project\\a.ts'],
    ['of a drive, with slashes', () => 'd:/project/a.ts'],
    ['of a share', () => '\\\\server\\share\\a.ts'],
  ])('%s', async (_fact, path) => {
    await expect(opened(path())).rejects.toMatchObject({ name: 'PathRefused', code: 'outside' });
  });

  it('and the message names it', async () => {
    await expect(opened('../away/d.ts')).rejects.toThrow('Outside the workspace: ../away/d.ts');
  });

  it('unless its folder was allowed', async () => {
    const wide = makeAccess({ folders: [work], allowOutside: [away, home], home });
    expect(await wide.resolve('out/d.ts', { for: 'read' })).toBe(join(away, 'd.ts'));
    expect(await wide.resolve('~/notes.txt', { for: 'read' })).toBe(join(home, 'notes.txt'));
    await expect(wide.resolve(`${second}/c.ts`, { for: 'read' })).rejects.toMatchObject({ code: 'outside' });
  });

  it('unless everywhere was allowed, and then denied files stay denied', async () => {
    const wide = makeAccess({ folders: [work], allowOutside: 'everywhere', home });
    expect(await wide.resolve(`${second}/c.ts`, { for: 'read' })).toBe(join(second, 'c.ts'));
    await expect(wide.resolve('~/.ssh/config', { for: 'read' })).rejects.toMatchObject({ code: 'denied' });
  });
});

describe('what is no path is refused', () => {
  it.each([
    ['nothing', () => '', 'No path given'],
    ['a NUL byte', () => 'a.ts\0.png', 'A path cannot contain a NUL byte'],
    ['an encoded NUL byte', () => `file://${work}/a.ts%00`, 'A path cannot contain a NUL byte'],
    ['a NUL byte in a file URL', () => `file://${work}/%20\0`, 'A path cannot contain a NUL byte'],
    ['another scheme', () => 'https://example.com/a.ts', 'Not a path or file URL: https://example.com/a.ts'],
    ['a file of another host', () => 'file://server/a.ts', 'Not the URL of a local file: file://server/a.ts'],
    ['a relative file URL', () => 'file:a.ts', 'Not the URL of a local file: file:a.ts'],
  ])('%s', async (_fact, path, message) => {
    await expect(opened(path())).rejects.toMatchObject({ code: 'malformed', message });
  });

  it.each([
    ['with very many folders', 'x/'.repeat(2000)],
    ['with very many folders, as a URL', `file:///${'x/'.repeat(2000)}`],
    ['with more folders than 256', 'x/'.repeat(257)],
    ['with very many characters', 'x'.repeat(4097)],
  ])('one %s, and the message says so', async (_fact, path) => {
    await expect(opened(path)).rejects.toMatchObject({
      code: 'malformed',
      message: 'A path has at most 4096 characters and 256 folders',
    });
    expect(await access().visibility(path)).toBe('denied');
  });

  it('none with 250 folders, existing or not', async () => {
    const deep = 'x/'.repeat(250);
    expect(await opened(`${deep}a.ts`)).toBe(join(work, deep, 'a.ts'));
    expect(await access().resolve(`${deep}a.ts`, { for: 'read' })).toBe(join(work, deep, 'a.ts'));
  });

  it('a relative path without a workspace folder', async () => {
    const none = makeAccess({ folders: [], allowOutside: 'everywhere' });
    await expect(none.resolve('a.ts', { for: 'open' })).rejects.toMatchObject({ code: 'malformed' });
  });

  it('a tilde without a home folder', async () => {
    const homeless = makeAccess({ folders: [work] });
    await expect(homeless.resolve('~/a', { for: 'open' })).rejects.toThrow('The home folder is not known: ~/a');
  });

  it.each([
    ['a link to itself', () => 'loop'],
    ['a file below a file', () => 'a.ts/b.ts'],
    ['a file below a file, as an encoded URL', () => `file://${work}/a.ts/%20`],
    ['a name longer than the disk can hold', () => 'x'.repeat(3000)],
  ])('%s', async (_fact, path) => {
    await expect(opened(path())).rejects.toMatchObject({ name: 'PathRefused', code: 'unreadable' });
  });
});

describe('the text of a denied file', () => {
  it('is refused to readers and diffs, while the file may be opened', async () => {
    await expect(access().resolve('.env', { for: 'read' })).rejects.toMatchObject({
      code: 'denied',
      message: 'Denied: the text of .env is never sent',
    });
    await expect(access().resolve('.env', { for: 'diff' })).rejects.toMatchObject({ code: 'denied' });
    expect(await access().resolve('.env', { for: 'open' })).toBe(join(work, '.env'));
  });

  it('is refused through a link of an innocent name, and behind a denied name', async () => {
    for (const path of ['innocent.txt', '.env.linked']) {
      await expect(access().resolve(path, { for: 'read' })).rejects.toMatchObject({ code: 'denied' });
      expect(await isDenied(access(), join(work, path))).toBe(true);
    }
  });

  it.each([
    ['.env', '.env'],
    ['.env.*', 'x/.env.production'],
    ['*.pem', 'tls/server.pem'],
    ['*.key', 'server.key'],
    ['id_rsa*', 'id_rsa.pub'],
    ['id_ed25519*', 'id_ed25519_work'],
    ['*.p12', 'a.p12'],
    ['*.keystore', 'debug.keystore'],
    ['.netrc', '.netrc'],
    ['.npmrc', 'packages/x/.npmrc'],
    ['.ssh/', '.ssh/known_hosts'],
    ['.aws/', '.aws/sso/cache/a.json'],
    ['.gnupg/', '.gnupg/x'],
    ['id_dsa*', 'id_dsa'],
    ['id_ecdsa*', 'id_ecdsa_sk'],
    ['*.pfx', 'tls/site.pfx'],
    ['*.jks', 'android/upload.jks'],
    ['*.ppk', 'server.ppk'],
    ['*.kdbx', 'team.kdbx'],
    ['_netrc', '_netrc'],
    ['.git-credentials', 'x/.git-credentials'],
    ['.pgpass', '.pgpass'],
    ['.htpasswd', 'www/.htpasswd'],
    ['.pypirc', '.pypirc'],
    ['.vault-token', '.vault-token'],
    ['.dockercfg', '.dockercfg'],
    ['**/.docker/config.json', 'x/.docker/config.json'],
    ['**/.kube/config', '.kube/config'],
    ['**/.cargo/credentials*', '.cargo/credentials.toml'],
    ['**/.gem/credentials', '.gem/credentials'],
    ['**/.config/gcloud/**', '.config/gcloud/credentials.db'],
    ['.azure/', '.azure/msal_token_cache.json'],
    ['.s3cfg', '.s3cfg'],
    ['.boto', '.boto'],
    ['rclone.conf', 'rclone.conf'],
    ['*.tfstate', 'infra/terraform.tfstate'],
    ['*.tfstate.*', 'infra/terraform.tfstate.backup'],
    ['client_secret*.json', 'client_secret_1.json'],
  ])('is denied by default: %s', async (pattern, path) => {
    expect(DENIED_BY_DEFAULT).toContain(pattern);
    expect(await isDenied(access(), join(work, path))).toBe(true);
    expect(await isDenied(access(), path.toUpperCase())).toBe(true);
  });

  it('is that of files the defaults name and no others', async () => {
    expect(DENIED_BY_DEFAULT).toHaveLength(38);
    const visible = [
      'a.ts',
      '.envrc',
      'keys.ts',
      'env',
      'environment/.gitkeep',
      'docker/config.json',
      'src/identity.ts',
    ];
    for (const path of visible) {
      expect(await access().visibility(join(work, path))).toBe('visible');
    }
  });

  it('is also that of files the user names, in the workspace, the home or anywhere', async () => {
    const own = makeAccess({
      folders: [work],
      home: join(root, 'alias'),
      deny: ['secrets/', '/top/*.txt', '~/sub/b.ts', `${root}/alias/private/**`],
    });
    const denied = ['x/secrets/a', 'top/a.txt', 'sub/b.ts', 'private/x', '.env'];
    for (const path of denied) expect([path, await isDenied(own, join(work, path))]).toEqual([path, true]);
    expect(await own.visibility(join(work, 'x/top/a.txt'))).toBe('visible');
    expect(await own.visibility(join(away, 'sub/b.ts'))).toBe('outside');
  });

  it('is that of a path that makes no sense', async () => {
    for (const path of ['', 'a\0', 'https://example.com/', join(work, 'loop')]) {
      expect(await isDenied(access(), path)).toBe(true);
    }
  });

  it('is not that of an untitled document', async () => {
    expect(await access().visibility('Untitled-1')).toBe('visible');
  });

  it('cannot be named by a pattern that would not do what it says', () => {
    expect(() => makeAccess({ folders: [work], deny: ['*.{a,b}'] })).toThrow('Braces are not supported in patterns');
    expect(() => makeAccess({ folders: [work], deny: ['~/x'] })).toThrow('The home folder is not known: ~/x');
  });
});

describe('the pause switch', () => {
  it('refuses every path while it is on', async () => {
    const paused = access();
    expect(paused.paused).toBe(false);
    paused.paused = true;
    await expect(paused.resolve('a.ts', { for: 'open' })).rejects.toMatchObject({ code: 'paused' });
    expect(() => paused.requireResumed()).toThrow('Paused by the user. Try again later.');
    paused.paused = false;
    expect(() => paused.requireResumed()).not.toThrow();
    expect(await paused.resolve('a.ts', { for: 'open' })).toBe(join(work, 'a.ts'));
  });

  it('calls its listeners after each change of it and of the folders, until they unsubscribe', () => {
    const switched = access();
    const received: unknown[] = [];
    const stop = switched.subscribe(() => received.push([switched.paused, switched.folders[0]]));
    switched.paused = true;
    switched.paused = true;
    switched.folders = [second];
    switched.paused = false;
    stop();
    stop();
    switched.paused = true;
    expect(received).toEqual([
      [true, work],
      [true, second],
      [false, second],
    ]);
  });
});

describe('what agents see of the editor', () => {
  it('is a file in the workspace, not one outside, through a link or not, and nothing while paused', async () => {
    const rules = access();
    for (const [path, expected] of [
      ['work/a.ts', 'visible'],
      ['second/c.ts', 'visible'],
      ['away/d.ts', 'outside'],
      ['work/out/d.ts', 'outside'],
      ['work/relative-out', 'outside'],
      ['home/notes.txt', 'outside'],
      ['work/.env', 'denied'],
    ] as const) {
      expect([path, await rules.visibility(join(root, path))]).toEqual([path, expected]);
    }
    rules.paused = true;
    expect(await rules.visibility(join(work, 'a.ts'))).toBe('paused');
  });

  it('is answered at once when it was asked before, and anew after the folders have changed', async () => {
    const rules = access();
    const path = join(work, 'a.ts');
    expect(rules.visibility(path)).toBeInstanceOf(Promise);
    await rules.visibility(path);
    expect(rules.visibility(path)).toBe('visible');
    const asked = rules.visibility(join(second, 'c.ts'));
    rules.folders = [work];
    expect(await asked).toBe('outside');
    rules.folders = [second];
    expect(await rules.visibility(path)).toBe('outside');
  });
});

describe('on Windows', () => {
  it('a folder does not contain another drive, a share or a neighbour', () => {
    const inWork = (path: string) => contains('C:\\work', path, win32);
    expect(['C:\\work', 'c:\\WORK\\a.ts', 'C:\\work\\..a'].map(inWork)).toEqual([true, true, true]);
    expect(['D:\\work\\a.ts', '\\\\server\\work\\a.ts', 'C:\\work2', 'C:\\'].map(inWork)).toEqual(Array(4).fill(false));
  });

  it('drives and shares are distinguished without looking at them', () => {
    expect(sameRoot('C:\\work', 'c:\\other', win32)).toBe(true);
    expect(sameRoot('C:\\work', 'D:\\work', win32)).toBe(false);
    expect(sameRoot('C:\\work', '\\\\server\\share\\x', win32)).toBe(false);
    expect(sameRoot('C:\\work', '\\\\?\\C:\\work', win32)).toBe(false);
  });
});

function write(file: string): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'text');
}

function link(target: string, file: string): void {
  symlinkSync(target, join(root, file));
}
