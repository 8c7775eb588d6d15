import type { Shared, Status } from '../control/calls.ts';
import { escaped } from '../terminal/wrapping.ts';
import type { Environment } from './environment.ts';
import { type BridgeChoice, withBridge } from './running-bridge.ts';

export function status(
  choice: BridgeChoice,
  { as }: { readonly as: 'words' | 'json' },
  environment: Environment,
): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    const found = await bridge.status();
    if (as === 'json') environment.stdout(JSON.stringify(found, undefined, 2));
    else for (const line of inWords(found)) environment.stdout(escaped(line));
  });
}

function inWords({ pid, version, editor, folders, paused, agents, shared, proposals, reviewers }: Status): string[] {
  return [
    `hawser ${version}, process ${pid}, editor ${editor}${paused ? ', paused' : ''}`,
    `workspace  ${folders.join(', ')}`,
    ...agents.flatMap(({ name, endpoints, clients }) => [
      `agents     ${name} at ${endpoints.join(' ')}`,
      ...clients.map(({ name: client, version: of, state }) => `client     ${client} ${of ?? ''} (${state})`),
    ]),
    `shared     ${sharedInWords(shared)}`,
    `proposals  ${proposals} open, reviewed by ${reviewers.join(', ') || 'hawser review'}`,
  ];
}

function sharedInWords(shared: Shared): string {
  switch (shared.kind) {
    case 'nothing':
      return `nothing: ${shared.reason}`;
    case 'file':
      return shared.path;
    case 'selection':
      return `${shared.path}, lines ${shared.first + 1} to ${shared.last + 1} selected`;
  }
}
