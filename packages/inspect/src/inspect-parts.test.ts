import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LoginRequired } from '@hawser/client/login/login-required';
import { openCommand } from '@hawser/client/open-browser';
import type { Target } from '@hawser/client/target';
import { PageTokens } from '@hawser/loopback-page/page-tokens';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { CallParams } from './call-params.ts';
import { readAnswer, readCompletion, readTargetChoice } from './call-readers.ts';
import { explainFailure } from './explain-failure.ts';
import { listTargets } from './target-list.ts';

const STDIO: Target = { kind: 'stdio', command: 'server', args: [], env: {}, cwd: '/' };
const HTTP: Target = { kind: 'http', url: 'http://127.0.0.1/mcp', headers: {} };

describe('the advice on a failure', () => {
  it.each<[string, Target, string, RegExp]>([
    [
      'a command that is not there',
      STDIO,
      'Could not start server: spawn server ENOENT',
      /Is server installed and on PATH\?/,
    ],
    ['a file that can not be run', STDIO, 'Could not start server: spawn server EACCES', /Make server executable/],
    ['a program that ends', STDIO, 'server exited with code 1', /Run the command in a terminal/],
    ['a program that is silent', STDIO, 'The handshake got no response within 60000 ms', /does not answer/],
    ['no credentials', HTTP, 'HTTP 401: Unauthorized', /Add a header, such as Authorization/],
    ['a wrong path', HTTP, 'HTTP 404: Not Found', /many servers answer at \/mcp only/],
    ['a broken server', HTTP, 'HTTP 502: Bad Gateway', /Its own log says why/],
    ['a closed port', HTTP, 'connect ECONNREFUSED 127.0.0.1:1', /Nothing listens there/],
    ['an unknown host', HTTP, 'getaddrinfo ENOTFOUND nosuch.invalid', /name of the host is not known/],
    ['another protocol', HTTP, "The server's response is not a message: Parse error", /not in MCP/],
    ['a certificate', HTTP, 'self-signed certificate', /certificate of the server is not trusted/],
  ])('on %s', (_, target, message, advice) => {
    expect(explainFailure(new Error(message), target)).toEqual({ message, advice: expect.stringMatching(advice) });
  });

  it('on a missing login offers one', () => {
    const error = new Error('Refused', { cause: new LoginRequired('Log in with: hawser login') });
    expect(explainFailure(error, HTTP)).toEqual({
      message: 'Refused',
      advice: 'Log in here, or give a token of yours as a header.',
      canLogIn: true,
    });
  });

  it('is left out where there is none, and the words of the library for programmers are, too', () => {
    const hint = ' (if the server closes on server/discover, use the option negotiation: "initialize")';
    expect(explainFailure(new Error(`Something else${hint}`), STDIO)).toEqual({ message: 'Something else' });
  });
});

describe('the parameters of a call', () => {
  it.each([
    [
      () => readTargetChoice(new CallParams({ kind: 'other' })),
      'kind must be one of given, last, stdio, url, lock, server',
    ],
    [() => readTargetChoice(new CallParams({ kind: 'stdio', command: 'x', env: { A: 1 } })), 'env.A must be a string'],
    [() => readTargetChoice(new CallParams({ kind: 'url', url: 'x', headers: [1] })), 'headers must be strings'],
    [() => readTargetChoice(new CallParams({ kind: 'url', url: 'x', headers: {} })), 'headers must be an array'],
    [() => new CallParams([]), 'params must be an object'],
    [() => new CallParams({ a: null }).params('a'), 'a must be an object'],
    [
      () => readAnswer(new CallParams({ id: '1', answer: { kind: 'elicitation', result: { action: 'x' } } })),
      'answer.result.action must be one of accept, decline, cancel',
    ],
    [
      () => readCompletion(new CallParams({ ref: { type: 'ref/prompt', name: 'p' }, argument: {} })),
      'argument.name must be a string',
    ],
  ])('are refused if they are wrong: %#', (read, message) => {
    expect(read).toThrow(`Invalid params: ${message}`);
  });
});

describe('a browser', () => {
  it('is opened without a shell, and only where there is a screen', () => {
    const url = 'http://127.0.0.1:1/#a;b&c';
    expect(openCommand(url, { platform: 'linux', variables: { DISPLAY: ':0' } })).toEqual(['xdg-open', url]);
    expect(openCommand(url, { platform: 'linux', variables: {} })).toBeUndefined();
    expect(openCommand(url, { platform: 'darwin', variables: {} })).toEqual(['open', url]);
    expect(openCommand(url, { platform: 'win32', variables: {} })).toEqual([
      'rundll32',
      'url.dll,FileProtocolHandler',
      url,
    ]);
  });
});

describe('the secrets of the page', () => {
  it('are long, new each time, and only the newest link works, once', () => {
    const tokens = new PageTokens('hawser-inspect');
    const [first, second] = [tokens.newLink(), tokens.newLink()];
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(tokens.redeem(`link.${first}`)).toBeUndefined();
    const token = tokens.redeem(`link.${second}`);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(tokens.redeem(`link.${second}`)).toBeUndefined();
    expect(tokens.redeem(`page.${token}`)).toBe(token);
    expect(tokens.redeem(`link.${token}`)).toBeUndefined();
    expect(tokens.redeem(`page.${second}`)).toBeUndefined();
  });

  it('of old pages stop working when there are many', () => {
    const tokens = new PageTokens('hawser-inspect');
    const oldest = tokens.redeem(`link.${tokens.newLink()}`);
    for (let count = 0; count < 32; count += 1) tokens.redeem(`link.${tokens.newLink()}`);
    expect(tokens.redeem(`page.${oldest}`)).toBeUndefined();
  });
});

describe('the servers to choose from', () => {
  it('are those of configuration files, nearest first, and say what is wrong with an entry or a file', async () => {
    const folder = temporaryFolder();
    const stdio = { command: 'node', args: ['server.js'], env: { KEY: 'secret' } };
    const entries = {
      one: stdio,
      two: { url: 'https://user:secret@example.com/mcp' },
      three: { type: 'sse', url: 'http://x' },
    };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: entries }));
    writeFileSync(
      join(folder, '.claude.json'),
      JSON.stringify({ mcpServers: { one: { command: 'hidden' }, four: {} } }),
    );
    const { editors, servers, problems } = await listTargets({
      cwd: folder,
      home: folder,
      variables: {},
    });
    expect(editors).toEqual([]);
    expect(servers.map(({ name, description, problem }) => [name, description ?? problem])).toEqual([
      ['three', 'http://x/'],
      ['two', 'https://example.com/mcp'],
      ['one', 'node server.js'],
      ['four', 'four has neither a command nor a url.'],
    ]);
    expect(JSON.stringify({ servers, problems })).not.toContain('secret');
  });
});
