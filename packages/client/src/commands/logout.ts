import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { type LogoutOutcome, oauthClient, refreshOnly } from '@hawser/mcp/oauth';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { loginFiles } from '../login/login-files.ts';
import { describeTarget } from '../target.ts';
import { loginTarget } from './login.ts';
import { type ClientFlags, withUrlOptions } from './target-options.ts';
import { TIMEOUT_MS, untilSignal } from './with-session.ts';

export const logoutCommand = withUrlOptions(
  {
    name: 'logout',
    description: 'end the login to an MCP server, and remove it from this machine',
    options: [{ name: 'json', description: 'what was removed, as JSON' }],
    notes: `The tokens are revoked if the authorization server can do that.
Exit codes: 0 there is no login any more, 1 it was removed here, but not revoked, 2 wrong usage.`,
  },
  { timeout: 'how long to wait for each answer (default: 60); 0 is no limit' },
);

/** Removes every login at the server. Fails if one could not be revoked. */
export async function logout(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  const target = await loginTarget(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const timeout = flags.timeout ?? TIMEOUT_MS;
  const authorization = oauthClient(target.url, {
    grant: refreshOnly({ loginNeeded: ({ issuer }) => new Error(`No client is stored for ${issuer}`) }),
    store: loginFiles(environment.stateFolder, target.url),
    requestTimeout: timeout,
    signal,
  });
  let logins: readonly LogoutOutcome[];
  try {
    logins = await authorization.logout();
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    throw error;
  }
  const facts = { target: describeTarget(target), logins };
  if (flags.json) environment.stdout(jsonText(facts));
  else for (const line of inWords(facts)) environment.stdout(escaped(line));
  if (logins.some(({ revocation }) => revocation === 'failed')) throw new CommandFailed(ExitCode.failed, '');
}

function inWords({ target, logins }: { readonly target: string; readonly logins: readonly LogoutOutcome[] }): string[] {
  if (logins.length === 0) return [`There is no login for ${target}.`];
  return logins.map(({ issuer, revocation, reason }) =>
    revocation === 'revoked'
      ? `Logged out of ${target}: ${issuer} has revoked the tokens.`
      : revocation === 'not offered'
        ? `Logged out of ${target}. ${issuer} can't revoke tokens, so they are valid until they expire.`
        : `The login for ${target} was removed here, but its tokens are still valid: ${reason}`,
  );
}
