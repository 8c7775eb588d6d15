import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import {
  authorizationCode,
  oauthClient,
  type PreRegisteredClient,
  type StoredCredentials,
  type TokenKey,
} from '@hawser/mcp/oauth';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { loginFiles } from '../login/login-files.ts';
import { listenForRedirect, type RedirectListener } from '../login/redirect-listener.ts';
import { loginObstacle } from '../login/target-login.ts';
import { describeTarget, type HttpTarget } from '../target.ts';
import { browserLogin } from './browser-login.ts';
import type { ClientFlags } from './target-options.ts';
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

const LOGIN_TIMEOUT_MS = 300_000;

/** Lets the user log in with a browser, and keeps the tokens. */
export async function login(flags: LoginFlags, environment: ClientEnvironment): Promise<void> {
  const target = await loginTarget(flags, environment);
  const client = clientOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const listener = await listen(flags.port ?? 0);
  const saved: { key: TokenKey; credentials: StoredCredentials }[] = [];
  const files = loginFiles(environment.stateFolder, target.url);
  let outcome: 'logged in' | 'failed' = 'failed';
  try {
    const grant = authorizationCode({
      redirectUrl: listener.redirectUrl,
      openBrowser: (page, { signal: ended }) =>
        browserLogin(page, { listener, open: flags.noOpen ? 'no' : 'yes', environment, signal: ended }),
      registration: { client_name: 'Hawser' },
      ...(client && { client }),
    });
    const authorization = oauthClient(target.url, {
      grant,
      store: {
        ...files,
        save: async (key, credentials) => {
          await files.save(key, credentials);
          saved.push({ key, credentials });
        },
      },
      loginTimeout: flags.timeout ?? LOGIN_TIMEOUT_MS,
      signal,
      allowPrivateAddresses: flags.allowPrivateAddresses === true,
      ...(flags.scope !== undefined && { scope: flags.scope }),
    });
    await authorization.login();
    outcome = 'logged in';
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    // The library names its own option.
    const why = (error as Error).message
      .replace('pass its id as client.', 'pass its id with --client-id.')
      .replace('set allowPrivateAddresses', 'use --allow-private-addresses.');
    throw new CommandFailed(ExitCode.failed, `You are not logged in. ${why}`);
  } finally {
    await listener.close(outcome);
  }
  for (const { key, credentials } of saved.slice(-1)) report(target, key, credentials, flags, environment);
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
    throw new CommandFailed(ExitCode.usage, '--client-secret-file needs --issuer: the secret is sent to no other.');
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

async function listen(port: number): Promise<RedirectListener> {
  try {
    return await listenForRedirect(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new CommandFailed(ExitCode.portInUse, `Port ${port} is in use. Choose another with --port. (${message})`);
  }
}

function report(
  target: HttpTarget,
  { issuer, resource }: TokenKey,
  { tokens }: StoredCredentials,
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
