import { rmSync } from 'node:fs';
import { escaped } from '@hawser/terminal-text/wrapping';
import { findBridges } from '../control/find.ts';
import { rememberedIdentities } from '../discovery/identity.ts';
import type { Environment } from './environment.ts';

export interface TokensFlags {
  readonly renew?: true;
}

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
