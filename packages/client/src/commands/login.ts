import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { toPort } from '@hawser/command-line/to-port';
import type { PreRegisteredClient } from '@hawser/mcp/oauth';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { logIn, type StoredLogin } from '../login/log-in.ts';
import { loginObstacle } from '../login/target-login.ts';
import { describeTarget, type HttpTarget } from '../target.ts';
import { browserLogin } from './browser-login.ts';
import { type ClientFlags, withUrlOptions } from './target-options.ts';
import { targetOf, untilSignal } from './with-session.ts';

export interface LoginFlags extends ClientFlags {
  readonly scope?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly issuer?: string;
  readonly port?: number;
  readonly noOpen?: true;
  readonly allowPrivateAddresses?: true;
}

export const loginCommand = withUrlOptions(
  {
    name: 'login',
    description: 'log in to an MCP server with your browser',
    options: [
      {
        name: 'scope',
        value: 'scopes',
        description: 'ask for these besides what the server asks for, such as "a b"',
      },
      {
        name: 'client-id',
        value: 'id',
        description: 'the client that the authorization server knows (default: Hawser registers itself)',
      },
      { name: 'client-secret-file', value: 'file', description: 'with --client-id and --issuer: has its secret' },
      { name: 'issuer', value: 'url', description: 'with --client-id: the authorization server that knows it' },
      {
        name: 'port',
        short: 'p',
        value: 'n',
        description: 'the port that the browser returns to (default: any)',
        parse: toPort,
      },
      { name: 'no-open', description: 'open no browser, only print the address' },
      {
        name: 'allow-private-addresses',
        description: 'let the server name an authorization server in your network',
      },
      { name: 'json', description: 'what was logged in to, as JSON' },
    ],
    notes: `The other client commands use the login from then on and refresh it; hawser logout ends it. It is kept in a file that
only you can read. Without a browser on this machine, open the address elsewhere, and paste the address that the browser
shows at the end, even if its page can't be loaded.
Exit codes: 0 logged in, 1 not logged in, 2 wrong usage, 3 the port is in use.`,
  },
  { timeout: 'how long the login may take (default: 300); 0 is no limit' },
);

/** Lets the user log in with a browser, and keeps the tokens. */
export async function login(flags: LoginFlags, environment: ClientEnvironment): Promise<void> {
  const target = await loginTarget(flags, environment);
  const client = clientOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  try {
    const stored = await logIn(target, {
      stateFolder: environment.stateFolder,
      port: flags.port ?? 0,
      showPage: (page, listener, ended) =>
        browserLogin(page, { listener, open: flags.noOpen ? 'no' : 'yes', environment, signal: ended }),
      signal,
      timeout: flags.timeout,
      scope: flags.scope,
      client,
      allowPrivateAddresses: flags.allowPrivateAddresses === true,
    });
    if (stored !== undefined) report(target, stored, flags, environment);
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    throw explained(error as NodeJS.ErrnoException, flags);
  }
}

function explained({ code, message }: NodeJS.ErrnoException, { port }: LoginFlags): CommandFailed {
  if (code === 'EADDRINUSE') {
    return new CommandFailed(ExitCode.portInUse, `Port ${port} is in use. Choose another with --port. (${message})`);
  }
  // The library names its own options.
  const why = message
    .replace('pass its id as client.', 'pass its id with --client-id.')
    .replace('set allowPrivateAddresses', 'use --allow-private-addresses.');
  return new CommandFailed(ExitCode.failed, `You are not logged in. ${why}`);
}

/** The server to log in to. Fails unless a login would be used for it. */
export async function loginTarget(flags: ClientFlags, environment: ClientEnvironment): Promise<HttpTarget> {
  const { url, server } = flags;
  if (url === undefined && server === undefined) {
    throw new CommandFailed(ExitCode.usage, 'Name a server with --url or --server.');
  }
  const target = await targetOf(flags, environment);
  const obstacle = loginObstacle(target);
  if (target.kind === 'http' && obstacle === undefined) return target;
  throw new CommandFailed(ExitCode.usage, obstacle ?? '');
}

function clientOf(flags: LoginFlags, { cwd }: ClientEnvironment): PreRegisteredClient | undefined {
  const { clientId, clientSecretFile, issuer } = flags;
  if (clientId === undefined) {
    const lonely = clientSecretFile !== undefined ? '--client-secret-file' : issuer !== undefined ? '--issuer' : '';
    if (lonely !== '') throw new CommandFailed(ExitCode.usage, `${lonely} needs --client-id.`);
    return undefined;
  }
  if (clientSecretFile === undefined) return { clientId, issuer: issuer ?? 'any', isStored: true };
  if (issuer === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      '--client-secret-file needs --issuer: the secret is sent to that issuer only.',
    );
  }
  return { clientId, issuer, clientSecret: secretIn(resolve(cwd, clientSecretFile)), isStored: true };
}

function secretIn(path: string): string {
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CommandFailed(ExitCode.usage, `${path} can't be read: ${(error as Error).message}`);
  }
  if (secret === '') throw new CommandFailed(ExitCode.usage, `${path} is empty.`);
  return secret;
}

function report(
  target: HttpTarget,
  { key: { issuer, resource }, credentials: { tokens } }: StoredLogin,
  { json }: LoginFlags,
  { stdout }: ClientEnvironment,
): void {
  const facts = {
    target: describeTarget(target),
    issuer,
    resource,
    scopes: (tokens?.scope ?? '').split(' ').filter((scope) => scope !== ''),
    ...(tokens?.expiresAt !== undefined && { expiresAt: new Date(tokens.expiresAt).toISOString() }),
    isRefreshed: tokens?.refreshToken !== undefined,
  };
  if (json) {
    stdout(jsonText(facts));
    return;
  }
  stdout(escaped(`Logged in to ${facts.target} at ${issuer}.`));
  if (facts.scopes.length > 0) stdout(escaped(`Scopes: ${facts.scopes.join(' ')}`));
  if (!facts.isRefreshed && facts.expiresAt !== undefined) stdout(`Valid until ${facts.expiresAt}.`);
}
