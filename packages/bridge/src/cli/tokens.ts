import { rmSync } from 'node:fs';
import type { CommandSyntax } from '@hawser/command-line/command';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { Environment } from '../command-line/environment.ts';
import { findBridges } from '../control/find.ts';
import { rememberedIdentities } from '../discovery/identity.ts';

export interface TokensFlags {
  readonly renew?: true;
}

export const tokensCommand: CommandSyntax = {
  name: 'tokens',
  description: 'list what agents log in with, and renew it',
  options: [{ name: 'renew', description: 'forget all tokens: the next start of each bridge makes new ones' }],
  notes:
    'A bridge keeps its address and token across restarts, so that agents find it again. Tokens that were not used for 180 days are forgotten.',
};

/** `hawser tokens`: what agents log in with, and when it was used; never the tokens themselves. */
export async function tokens({ renew }: TokensFlags, environment: Environment): Promise<void> {
  const { stateFolder, stdout } = environment;
  const known = rememberedIdentities(stateFolder);
  if (known.length === 0) stdout('No tokens are kept.');
  for (const { file, agent, folders, used } of known) {
    if (renew === true) rmSync(file, { force: true });
    const when = used === undefined ? '' : `  last used ${used.slice(0, 16).replace('T', ' ')}`;
    stdout(escaped(`${agent}  ${folders.join(', ')}${when}${renew === true ? '  forgotten' : ''}`));
  }
  if (renew !== true) return;
  const { bridges } = await findBridges(environment);
  for (const { client, status } of bridges) {
    stdout(
      escaped(
        `The bridge for ${status.folders.join(', ')} (process ${status.pid}) keeps its token until it is restarted`,
      ),
    );
    await client.close();
  }
}
