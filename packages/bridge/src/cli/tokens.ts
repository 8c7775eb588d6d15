import { rmSync } from 'node:fs';
import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { Environment } from '../command-line/environment.ts';
import { type FoundBridge, findBridges } from '../control/find.ts';
import { rememberedIdentities } from '../discovery/identity.ts';

export interface TokensFlags {
  readonly renew?: true;
  readonly revoke?: string;
}

export const tokensCommand: CommandSyntax = {
  name: 'tokens',
  description: 'list the tokens of agents and browsers; renew or revoke one',
  options: [
    { name: 'renew', description: 'forget all tokens: the next start of each bridge makes new ones' },
    { name: 'revoke', value: 'id', description: 'log a browser out of hawser review --web, or all of them: all' },
  ],
  notes:
    'A bridge keeps its address and token across restarts, so that agents find it again. Tokens that were not used for 180 days are forgotten.',
};

/** `hawser tokens`: what agents and browsers log in with, and when it was used; never the tokens themselves. */
export async function tokens({ renew, revoke }: TokensFlags, environment: Environment): Promise<void> {
  const { bridges } = await findBridges(environment);
  try {
    if (revoke !== undefined) await revokeLogin(revoke, bridges, environment);
    else {
      listAgents(renew, environment);
      await listBrowsers(bridges, environment);
      if (renew === true) warnOfRunning(bridges, environment);
    }
  } finally {
    await Promise.all(bridges.map(({ client }) => client.close()));
  }
}

function listAgents(renew: true | undefined, { stateFolder, stdout }: Environment): void {
  const known = rememberedIdentities(stateFolder);
  if (known.length === 0) stdout('No tokens are kept.');
  for (const { file, agent, folders, used } of known) {
    if (renew === true) rmSync(file, { force: true });
    const when = used === undefined ? '' : `  last used ${inMinutes(used)}`;
    stdout(escaped(`${agent}  ${folders.join(', ')}${when}${renew === true ? '  forgotten' : ''}`));
  }
}

async function listBrowsers(bridges: readonly FoundBridge[], { stdout }: Environment): Promise<void> {
  for (const { client, status } of bridges) {
    // A bridge of another version may not know the question.
    for (const login of await client.pageLogins().catch(() => [])) {
      const { id, browser, address, lastUsed, expires } = login;
      stdout(
        escaped(
          `${id.slice(0, 8)}  ${browser} at ${address}  ${status.folders.join(', ')}  last used ${inMinutes(lastUsed)}  until ${inMinutes(expires)}`,
        ),
      );
    }
  }
}

async function revokeLogin(start: string, bridges: readonly FoundBridge[], { stdout }: Environment): Promise<void> {
  const all = await Promise.all(
    bridges.map(async ({ client }) => (await client.pageLogins().catch(() => [])).map((login) => ({ client, login }))),
  );
  const found = all.flat().filter(({ login }) => start === 'all' || login.id.startsWith(start));
  if (found.length === 0 || (found.length > 1 && start !== 'all')) {
    const problem = found.length === 0 ? 'No browser is logged in as' : 'More than one browser is logged in as';
    throw new CommandFailed(ExitCode.failed, `${problem} ${start}; see hawser tokens`);
  }
  for (const { client, login } of found) {
    await client.revokeLogin(login.id);
    stdout(escaped(`${login.id.slice(0, 8)}  ${login.browser} at ${login.address}  logged out`));
  }
}

function warnOfRunning(bridges: readonly FoundBridge[], { stdout }: Environment): void {
  for (const { status } of bridges) {
    const { folders, pid } = status;
    stdout(escaped(`The bridge for ${folders.join(', ')} (process ${pid}) keeps its token until it is restarted`));
  }
}

function inMinutes(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
