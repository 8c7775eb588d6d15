import type { AgentStatus } from '../../../control/calls.ts';
import type { Connecting } from './agents-view.ts';

/** How an agent connects to this adapter. */
export function connecting({ name, endpoints, discoveryFiles }: AgentStatus, folder: string): Connecting {
  if (name === 'claude-code') {
    return {
      words: 'Start Claude Code in the workspace. It connects by itself, or when you type /ide.',
      text: `cd ${quoted(folder)} && claude --ide`,
    };
  }
  const [endpoint = ''] = endpoints;
  const words =
    discoveryFiles.length === 0
      ? 'Agents connect to this address.'
      : 'Agents that know this way of connecting find the bridge by the file below; its address is:';
  return { words, text: endpoint };
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
