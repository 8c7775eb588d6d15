import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Household, type Outcome, PROGRAM, temporaryHousehold } from '../packages/bridge/testing/program.ts';
import { shellLine } from '../packages/bridge/testing/tmux.ts';
import { sharedBrowser } from '../packages/inspect/testing/browser.ts';
import { InspectCommand } from '../packages/inspect/testing/inspect-command.ts';
import { BearerMcpServer } from '../packages/mcp/testing/bearer-mcp-server.ts';
import { KNOWN_CLIENT, LoginServer } from '../packages/mcp/testing/login-server.ts';

// The command as a user runs it, an authorization server that others wrote, and a real browser.

let provider: LoginServer;
let mcp: BearerMcpServer;
let house: Household;
/** Everything that any command has printed. */
const printed: string[] = [];

beforeAll(async () => {
  provider = await LoginServer.open();
  mcp = await BearerMcpServer.open(provider.issuer);
});

afterAll(async () => {
  await mcp.close();
  await provider.close();
});

// Closed before what it is connected to.
const browser = sharedBrowser();

beforeEach(() => {
  house = temporaryHousehold();
});

const logins = () => join(house.home, '.local', 'state', 'hawser', 'logins');
const loginFile = () => join(logins(), readdirSync(logins()).find((name) => name.endsWith('.json')) ?? 'none');
const stored = () => JSON.parse(readFileSync(loginFile(), 'utf8'));

/** Changes the tokens of the stored login. */
function spoil(tokens: object): void {
  const login = stored();
  login.credentials.tokens = { ...login.credentials.tokens, ...tokens };
  writeFileSync(loginFile(), JSON.stringify(login));
}

async function run(...args: string[]): Promise<Outcome> {
  const outcome = await house.run(...args);
  printed.push(outcome.out, outcome.err);
  return outcome;
}

interface RunningLogin {
  readonly child: ChildProcess;
  /** The address that it prints. */
  readonly page: Promise<string>;
  readonly ended: Promise<Outcome>;
}

function startLogin(...args: string[]): RunningLogin {
  const child = house.start(['login', '--url', mcp.url, ...args]);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    err += data;
  });
  const page = (async () => {
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      if (line.startsWith('http')) return line;
    }
    throw new Error(`No address: ${err}`);
  })();
  // A test that expects none does not wait for it.
  page.catch(() => {});
  const ended = once(child, 'close').then(([code]) => {
    printed.push(out, err);
    return { code, out, err };
  });
  return { child, page, ended };
}

/** Logs in without a browser: the redirected address is visited by a program. */
async function logIn(...args: string[]): Promise<Outcome> {
  const { page, ended } = startLogin('--no-open', ...args);
  const redirected = await provider.approve(await page);
  expect(await (await fetch(redirected)).text()).toContain('You are logged in');
  return await ended;
}

describe('hawser login', () => {
  it('opens a browser, in which the user logs in and reads that it worked', async () => {
    const bin = join(house.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "${house.home}/opened"\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    Object.assign(house.moreEnv, { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' });
    const { page: address, ended } = startLogin();
    const page = await browser().newPage();
    try {
      await page.goto(await address);
      expect(readFileSync(join(house.home, 'opened'), 'utf8')).toBe(`1\n${await address}\n`);
      await page.getByPlaceholder('Enter any login').fill('ada');
      await page.getByPlaceholder('and password').fill('x');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      expect(new URL(page.url()).origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    } finally {
      await page.close();
    }
    expect(await ended).toMatchObject({
      code: 0,
      out: `Logged in to ${mcp.url} at ${provider.issuer}.\nScopes: notes\n`,
    });
    expect((await run('call', 'who', '--url', mcp.url)).out).toBe(`${provider.issuer}#sub=ada\n`);
  });

  it('keeps the tokens in a file that only the user can read', async () => {
    await logIn();
    const modes = [logins(), loginFile()].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
    expect(stored()).toMatchObject({ issuer: provider.issuer, resource: mcp.url });
    expect(readdirSync(logins())).toHaveLength(1);
  });

  it('reports as JSON', async () => {
    const { out } = await logIn('--json', '--scope', 'notes:write');
    expect(JSON.parse(out)).toEqual({
      target: mcp.url,
      issuer: provider.issuer,
      resource: mcp.url,
      scopes: ['notes', 'notes:write'],
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      isRefreshed: true,
    });
    expect((await run('call', 'write', '--url', mcp.url)).out).toBe('written\n');
  });

  it('takes the address that the user pastes, and no other', async () => {
    const { child, page, ended } = startLogin('--no-open');
    const redirected = await provider.approve(await page);
    const other = new URL(redirected);
    other.searchParams.set('state', 'x'.repeat(other.searchParams.get('state')?.length ?? 0));
    child.stdin?.end(`\nnonsense\n${other}\n  ${redirected}  \n`);
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err.match(/That is not the address at the end of this login/g)).toHaveLength(2);
  });

  it('asks for that address in a terminal, and goes on asking', async () => {
    const line = shellLine([process.execPath, PROGRAM, 'login', '--url', mcp.url]);
    const terminal = await house.screen(line, { columns: 900, rows: 12 });
    const text = await terminal.shows(/^Address:/m);
    const [page = ''] = /^http\S+/m.exec(text) ?? [];
    await terminal.press('what?', 'Enter');
    await terminal.shows('That is not the address at the end of this login.');
    await terminal.press(await provider.approve(page), 'Enter');
    await terminal.shows((shown) => shown.includes(`Logged in to ${mcp.url}`) && shown.includes('ended 0'));
  });

  it('waits for its own response, whatever else is sent to its port', async () => {
    const { page, ended } = startLogin('--no-open');
    const redirect = new URL(new URL(await page).searchParams.get('redirect_uri') ?? '');
    const state = new URL(await page).searchParams.get('state') ?? '';
    const attempts: [string, RequestInit, number][] = [
      ['/', {}, 404],
      ['/favicon.ico', {}, 404],
      [`/callback/../other?state=${state}&code=x`, {}, 404],
      [`/callback?state=${state}&code=x`, { method: 'POST' }, 404],
      ['/callback', {}, 400],
      ['/callback?code=x', {}, 400],
      [`/callback?state=${state}`, {}, 400],
      [`/callback?state=${'\u00e9'.repeat(state.length)}&code=x`, {}, 400],
      [`/callback?state=${state}x&code=x`, {}, 400],
      [`/callback?state=${state}&state=${state}&code=x`, {}, 400],
      [`//evil.test/callback?state=${state}&code=x`, {}, 404],
      [`/callback?state=x&code=x&redirect_uri=https://evil.test&next=https://evil.test`, {}, 400],
    ];
    for (const [path, init, status] of attempts) {
      const response = await fetch(redirect.origin + path, { ...init, redirect: 'manual' });
      expect([path, response.status, response.headers.get('location')]).toEqual([path, status, null]);
      expect(await response.text()).not.toContain('evil');
    }
    const rebound = await rawRequest(Number(redirect.port), `/callback?state=${state}&code=x`, 'evil.test');
    expect(rebound).toContain('HTTP/1.1 404');
    const redirected = await provider.approve(await page);
    expect((await fetch(redirected)).headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await ended).toMatchObject({ code: 0 });
    await expect(fetch(redirect)).rejects.toThrow('fetch failed');
  });

  it('takes nothing from other users of this machine, who may have seen its address', async ({ skip }) => {
    skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'It needs root on Linux to become another user');
    const { page, ended } = startLogin('--no-open');
    const { searchParams } = new URL(await page);
    const redirected = `${searchParams.get('redirect_uri')}?code=x&state=${searchParams.get('state')}&iss=${provider.issuer}`;
    const program = `require('http').get('${redirected}', (r) => console.log(r.statusCode))`;
    const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/' });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(output).trim()).toBe('403');
    await fetch(await provider.approve(await page));
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('says why it failed, on the page and in the terminal', async () => {
    const { page, ended } = startLogin('--no-open');
    const redirected = new URL(await provider.approve(await page));
    redirected.searchParams.set('code', 'replayed');
    const answer = await fetch(redirected);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('The login failed')]);
    const { code, out, err } = await ended;
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`hawser: You are not logged in. ${provider.issuer} gave no token (HTTP 400): invalid_grant`);
    expect(existsSync(logins())).toBe(false);
  });

  it('reports that the user declined', async () => {
    const { page, ended } = startLogin('--no-open');
    const { searchParams } = new URL(await page);
    const declined = new URL(searchParams.get('redirect_uri') ?? '');
    const response = { error: 'access_denied', state: searchParams.get('state') ?? '', iss: provider.issuer };
    declined.search = String(new URLSearchParams(response));
    expect(await (await fetch(declined)).text()).toContain('The login failed');
    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining('refused the login: access_denied') });
  });

  it('refuses the response of another issuer', async () => {
    const { page, ended } = startLogin('--no-open');
    const redirected = new URL(await provider.approve(await page));
    redirected.searchParams.set('iss', 'https://evil.test');
    await fetch(redirected);
    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining('unexpected "iss"') });
  });

  it('ends at its time limit, and with Ctrl-C', async () => {
    const late = startLogin('--no-open', '--timeout', '0.5');
    expect(await late.ended).toMatchObject({
      code: 1,
      err: expect.stringContaining('The login was not completed within 500 ms'),
    });
    const cancelled = startLogin('--no-open');
    await cancelled.page;
    cancelled.child.kill('SIGINT');
    expect(await cancelled.ended).toMatchObject({ code: 130, out: '' });
  });

  it('uses a client that the operator has registered, and refreshes as that client', async () => {
    const secret = join(house.home, 'secret');
    writeFileSync(secret, `${KNOWN_CLIENT.clientSecret}\n`, { mode: 0o600 });
    const client = ['--client-id', KNOWN_CLIENT.clientId, '--client-secret-file', secret];
    expect(await run('login', '--url', mcp.url, ...client)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--client-secret-file needs --issuer'),
    });
    const elsewhere = await run('login', '--url', mcp.url, ...client, '--issuer', 'https://right.test');
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('is registered with https://right.test') });
    expect(await logIn(...client, '--issuer', provider.issuer)).toMatchObject({ code: 0 });
    spoil({ accessToken: 'not.a.token' });
    expect((await run('call', 'who', '--url', mcp.url)).out).toBe(`${provider.issuer}#sub=ada\n`);
  });

  it('says what to do at an authorization server that registers no clients', async () => {
    provider.intercept = (request, response) => {
      if (!request.url?.startsWith('/.well-known/')) return false;
      provider.intercept = () => false;
      void fetch(provider.issuer + request.url).then(async (answer) => {
        const { registration_endpoint: _, ...metadata } = (await answer.json()) as Record<string, unknown>;
        response.end(JSON.stringify(metadata));
      });
      return true;
    };
    expect(await run('login', '--url', mcp.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Register one with its operator, and pass its id with --client-id.'),
    });
  });

  it('is for servers over HTTP without credentials of their own', async () => {
    writeFileSync(
      join(house.workspace, '.mcp.json'),
      JSON.stringify({
        mcpServers: {
          program: { command: 'node' },
          bearer: { url: mcp.url, headers: { authorization: 'Bearer x' } },
          named: { url: mcp.url },
        },
      }),
    );
    const refusals: [string[], string][] = [
      [[], 'Name a server with --url or --server.'],
      [['--url', 'ws://127.0.0.1:1'], 'ws://127.0.0.1:1/ is not at http:// or https://, so it has no login.'],
      [['--server', 'program'], 'node is not at http:// or https://'],
      [['--server', 'bearer'], 'An Authorization header is given for this server'],
      [['--url', 'https://me:secret@mcp.test/mcp'], 'The URL has a password in it'],
    ];
    for (const [args, message] of refusals) {
      expect(await run('login', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    }
    expect(await run('login', '--url', 'http://mcp.test/mcp')).toMatchObject({
      code: 1,
      err: expect.stringContaining('must use https, not http://mcp.test'),
    });
    const { page, ended } = startLogin();
    await fetch(await provider.approve(await page));
    await ended;
    expect((await run('tools', '--server', 'named')).out).toContain('who');
  });
});

describe('the page of hawser inspect', () => {
  it('lets the user log in to a server that wants it, and connects', async () => {
    const command = new InspectCommand(browser(), ['--url', mcp.url]);
    try {
      const page = await command.open(await command.link());
      await page.getByText('The server wants a login (HTTP 401).').waitFor();
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Open the login page' }).click();
      const login = await opened;
      await login.getByPlaceholder('Enter any login').fill('ada');
      await login.getByPlaceholder('and password').fill('x');
      await login.getByRole('button', { name: 'Sign-in' }).click();
      await login.getByRole('button', { name: 'Continue' }).click();
      await login.getByRole('heading', { name: 'You are logged in' }).waitFor();
      await page.getByRole('navigation').getByRole('button', { name: 'Tools' }).click();
      await page
        .getByRole('list', { name: 'tools' })
        .getByRole('button', { name: /^who\b/ })
        .waitFor();
      expect(command.problems).toEqual([]);
    } finally {
      await command.dispose();
    }
  });

  it('goes back when the user cancels the login', async () => {
    const command = new InspectCommand(browser(), ['--url', mcp.url]);
    try {
      const page = await command.open(await command.link());
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.getByRole('link', { name: 'Open the login page' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    } finally {
      await command.dispose();
    }
  });
});

describe('with a login, the client commands', () => {
  it('all use it', async () => {
    await logIn();
    const target = ['--url', mcp.url];
    for (const command of [['info'], ['tools'], ['health'], ['ping', '--count', '1'], ['call', 'who']]) {
      expect(await run(...command, ...target, '--json')).toMatchObject({ code: 0, err: '' });
    }
    const child = house.start(['shell', ...target]);
    child.stdin?.end('who\n:quit\n');
    expect(await text(child)).toBe(`${provider.issuer}#sub=ada\n`);
    const checked = await run('check', ...target, '--json', '--only', 'initialize-result');
    expect(JSON.parse(checked.out).summary).toMatchObject({ failed: 0 });
  });

  it('refresh it when it has expired or is refused, and keep what is new', async () => {
    await logIn();
    for (const change of [{ expiresAt: 1 }, { accessToken: 'not.a.token' }]) {
      spoil(change);
      const { refreshToken } = stored().credentials.tokens;
      expect((await run('call', 'who', '--url', mcp.url)).out).toBe(`${provider.issuer}#sub=ada\n`);
      expect(stored().credentials.tokens.refreshToken).not.toBe(refreshToken);
      expect(stored().credentials.tokens.expiresAt).toBeGreaterThan(Date.now());
    }
    spoil({ accessToken: 'not.a.token' });
    const checked = await run('check', '--url', mcp.url, '--json', '--only', 'initialize-result');
    expect(JSON.parse(checked.out).summary).toMatchObject({ failed: 0 });
  });

  it('refresh it once, however many run at the same time', async () => {
    await logIn();
    spoil({ expiresAt: 1, accessToken: 'not.a.token' });
    const before = provider.requests.length;
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => run('call', 'who', '--url', mcp.url)));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(provider.requests.slice(before).filter((request) => request === 'POST /token')).toHaveLength(1);
    expect(readdirSync(logins())).toHaveLength(1);
  });

  it('ask the authorization server nothing while the token is valid', async () => {
    await logIn();
    const before = provider.requests.length;
    await run('tools', '--url', mcp.url);
    expect(provider.requests.slice(before).filter((request) => !request.includes('jwks'))).toEqual([]);
  });

  it('say how to log in when the login is over, or allows too little', async () => {
    await logIn();
    expect(await run('call', 'write', '--url', mcp.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Log in with: hawser login --url ${mcp.url} --scope 'notes notes:write'`),
    });
    spoil({ accessToken: 'not.a.token', refreshToken: 'not-a-token' });
    expect(await run('tools', '--url', mcp.url)).toMatchObject({
      code: 10,
      err: expect.stringContaining(`There is no valid login at ${provider.issuer}.`),
    });
  });

  it('refuse a login that others can read, and say what to do', async () => {
    await logIn();
    chmodSync(loginFile(), 0o640);
    expect(await run('tools', '--url', mcp.url)).toMatchObject({
      code: 10,
      err: expect.stringContaining(`run: chmod 600 ${loginFile()}`),
    });
    chmodSync(loginFile(), 0o600);
    chmodSync(logins(), 0o755);
    expect(await run('tools', '--url', mcp.url)).toMatchObject({
      code: 10,
      err: expect.stringContaining(`Run: chmod 700 ${logins()}`),
    });
    chmodSync(logins(), 0o700);
    writeFileSync(loginFile(), '{"issuer":');
    expect(await run('tools', '--url', mcp.url)).toMatchObject({ err: expect.stringContaining('is damaged') });
  });

  it('prefer credentials that the user names', async () => {
    await logIn();
    expect(await run('tools', '--url', mcp.url, '--header', 'Authorization: Bearer wrong')).toMatchObject({
      code: 10,
      err: expect.stringContaining('The token is not a signed JWT'),
    });
  });

  it('do not send it to another server at the same host, or to the same server elsewhere', async () => {
    await logIn();
    const other = await BearerMcpServer.open(provider.issuer);
    try {
      expect(await run('tools', '--url', other.url)).toMatchObject({
        code: 10,
        err: `hawser: No connection to ${other.url}: The server wants a login (HTTP 401). Log in with: hawser login --url ${other.url}\n`,
      });
    } finally {
      await other.close();
    }
  });
});

it('without a login, the client commands say how to log in', async () => {
  const hint = `Log in with: hawser login --url ${mcp.url}`;
  const file = join(house.workspace, 's.transcript');
  writeFileSync(file, '== s\n→ {"jsonrpc":"2.0","id":1,"method":"ping"}\n← {"jsonrpc":"2.0","id":1,"result":{}}\n');
  for (const command of [['tools'], ['call', 'who'], ['watch'], ['ping'], ['check'], ['shell']]) {
    expect(await run(...command, '--url', mcp.url)).toMatchObject({ code: 10, err: expect.stringContaining(hint) });
  }
  expect(await run('health', '--url', mcp.url)).toMatchObject({
    code: 10,
    out: expect.stringContaining('Log in with'),
  });
  const replayed = await run('replay', file, '--url', mcp.url);
  expect(replayed.out + replayed.err).toContain(hint);
});

describe('hawser logout', () => {
  it('revokes the tokens and removes the file', async () => {
    await logIn();
    const { client, tokens } = stored().credentials;
    const { out } = await run('logout', '--url', mcp.url, '--json');
    expect(JSON.parse(out)).toEqual({
      target: mcp.url,
      logins: [{ issuer: provider.issuer, resource: mcp.url, revocation: 'revoked' }],
    });
    expect(readdirSync(logins())).toEqual([]);
    const refresh = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: tokens.refreshToken,
    });
    const refused = await fetch(`${provider.issuer}/token`, { method: 'POST', body: refresh });
    expect(await refused.json()).toMatchObject({ error: 'invalid_grant' });
    expect(await run('tools', '--url', mcp.url)).toMatchObject({ code: 10, err: expect.stringContaining('Log in') });
    expect(await run('logout', '--url', mcp.url)).toMatchObject({
      code: 0,
      out: `There is no login for ${mcp.url}.\n`,
    });
  });

  it('removes the file even if the authorization server does not answer, and says so', async () => {
    await logIn();
    provider.intercept = (request, response) => {
      if (!request.url?.startsWith('/token/revocation')) return false;
      response.writeHead(503).end();
      return true;
    };
    try {
      expect(await run('logout', '--url', mcp.url)).toMatchObject({
        code: 1,
        out: `The login for ${mcp.url} was removed here, but its tokens are still valid: ${provider.issuer} revoked no token (HTTP 503)\n`,
      });
    } finally {
      provider.intercept = () => false;
    }
    expect(readdirSync(logins())).toEqual([]);
  });
});

it('the page of hawser inspect uses a login, and its traffic has no token in it', async () => {
  await logIn();
  const child = house.start(['inspect', '--no-open', '--url', mcp.url]);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  const page = await browser().newPage();
  try {
    await page.goto(/http:\S+/.exec(line)?.[0] ?? '');
    await page.getByRole('navigation').getByRole('button', { name: 'Tools' }).click();
    await page.getByRole('button', { name: /^who\b/ }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText(`${provider.issuer}#sub=ada`).first().waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Traffic' }).click();
    await page.getByText('tools/call').first().waitFor();
    printed.push((await page.locator('body').textContent()) ?? '', await page.content());
  } finally {
    await page.close();
    child.kill('SIGINT');
    await once(child, 'exit');
  }
});

it('a transcript that is recorded of a command with a login has no token in it', async () => {
  await logIn();
  const file = join(house.workspace, 's.transcript');
  // An agent that speaks with the server through hawser shell, whose stdin and stdout are recorded.
  const child = spawn(
    process.execPath,
    [PROGRAM, 'record', '-o', file, '--', process.execPath, PROGRAM, 'shell', '--url', mcp.url],
    { cwd: house.workspace, env: { ...house.env } },
  );
  child.stdin.end('who\n:raw {"jsonrpc":"2.0","id":"x","method":"tools/list"}\n:quit\n');
  printed.push(await text(child), readFileSync(file, 'utf8'));
  expect(printed.at(-1)).toContain('sub=ada');
});

it('no token, code or secret was printed by any command above', () => {
  const all = printed.join('\n');
  expect(printed.length).toBeGreaterThan(50);
  expect(provider.secrets.size).toBeGreaterThan(30);
  expect([...provider.secrets].filter((secret) => all.includes(secret))).toEqual([]);
});

async function text(child: ChildProcess): Promise<string> {
  let out = '';
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    printed.push(String(data));
  });
  await once(child, 'close');
  printed.push(out);
  return out;
}

async function rawRequest(port: number, path: string, host: string): Promise<string> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}
