import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { LoginRequired } from '@hawser/client/login/login-required';
import { openSession } from '@hawser/client/open-session';
import type { Target } from '@hawser/client/target';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { explainFailure } from './explain-failure.ts';

const STDIO: Target = { kind: 'stdio', command: 'server', args: [], env: {}, cwd: '/' };
const HTTP: Target = { kind: 'http', url: 'http://127.0.0.1/mcp', headers: {} };

async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Self-signed. */
function certificate() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(temporaryFolder(), name)) as [string, string];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-keyout', key, '-out', cert, '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', '-nodes', ...curve, ...files], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe('the advice on a failure', () => {
  const program = (...args: string[]): Target => ({ ...STDIO, command: process.execPath, args });

  async function failure(target: Target, timeout = 60_000): Promise<Error> {
    const options = { version: '1', protocolVersion: undefined, timeout, onError: () => {} };
    return await openSession(target, options).then(
      () => expect.unreachable('It has connected'),
      (error: Error) => error,
    );
  }

  it.each<[string, Target, number | undefined, RegExp]>([
    ['a command that is not there', { ...STDIO, command: 'no-such-server' }, undefined, /Is no-such-server installed/],
    ['a file that can not be run', { ...STDIO, command: '/' }, undefined, /Make \/ executable/],
    ['a program that ends', program('-e', 'process.exit(1)'), undefined, /Run the command in a terminal/],
    ['a program that is silent', program('-e', 'process.stdin.resume()'), 50, /does not answer/],
  ])('on %s', async (_, target, timeout, advice) => {
    expect(explainFailure(await failure(target, timeout), target).advice).toMatch(advice);
  });

  it.each([
    [401, /Add a header, such as Authorization/],
    [404, /many servers answer at \/mcp only/],
    [502, /Its own log says why/],
    [200, /not in MCP/],
  ])('on status %i, over HTTP and WebSocket', async (status, advice) => {
    const server = createServer((_, response) => response.writeHead(status).end('<html>'));
    const port = await listen(server);
    for (const target of [
      { ...HTTP, url: `http://127.0.0.1:${port}/` },
      { kind: 'websocket', url: `ws://127.0.0.1:${port}/`, headers: {} } as const,
    ]) {
      expect(explainFailure(await failure(target), target).advice).toMatch(advice);
    }
  });

  it('on a closed port, an unknown host and a certificate', async () => {
    const gone = createServer();
    const port = await listen(gone);
    await new Promise((closed) => gone.close(closed));
    const secure = await listen(createSecureServer(certificate()));
    const urls = [`http://127.0.0.1:${port}`, 'http://nosuch.invalid', `https://127.0.0.1:${secure}`];
    const advices = await Promise.all(
      urls.map(async (url) => explainFailure(await failure({ ...HTTP, url }), { ...HTTP, url }).advice),
    );
    expect(advices).toEqual([
      'Nothing listens there. Is the server running, and is the port right?',
      'The name of the host is not known. Check it for mistakes.',
      'The certificate of the server is not trusted here.',
    ]);
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
