import { fileURLToPath } from 'node:url';
import { resumedStreams, statelessRequests } from './fetch-targets.ts';
import { stdioMessages, webSocketMessages } from './message-targets.ts';
import { hostileAuthorizationServers, hostileTokens } from './oauth-targets.ts';
import { seededTargets } from './seeded-targets.ts';
import type { FuzzTarget } from './target.ts';

/** Everything that is attacked. `folder` is the URL of this folder, which a bundle can't find by itself. */
export function fuzzTargets(folder: URL): readonly FuzzTarget[] {
  const victim = fileURLToPath(new URL('victim.mjs', folder));
  return [
    stdioMessages(victim),
    webSocketMessages(victim),
    statelessRequests,
    resumedStreams,
    ...seededTargets,
    hostileAuthorizationServers,
    hostileTokens,
  ];
}
