import type { Shared, Status } from '../control/calls.ts';
import { escaped } from '../terminal/glyphs.ts';
import type { Environment } from './environment.ts';
import { withBridge } from './running-bridge.ts';

export function status(
  workspace: string | undefined,
  { as }: { readonly as: 'words' | 'json' },
  environment: Environment,
): Promise<void> {
  return withBridge(workspace, environment, async (bridge) => {
    const found = await bridge.status();
    if (as === 'json') environment.stdout(JSON.stringify(found, undefined, 2));
    else for (const line of inWords(found)) environment.stdout(escaped(line));
  });
}

function inWords({ pid, version, folders, review, paused, doors, shared, proposals }: Status): string[] {
  return [
    `hawser ${version}, process ${pid}${paused ? ', paused' : ''}`,
    `workspace  ${folders.join(', ')}`,
    ...doors.flatMap(({ name, address, clients }) => [
      `door       ${name} at ${address}`,
      ...clients.map(({ name: agent, version: of, state }) => `agent      ${agent} ${of ?? ''} (${state})`),
    ]),
    `shared     ${sharedInWords(shared)}`,
    `proposals  ${proposals} open (policy: ${review})`,
  ];
}

function sharedInWords(shared: Shared): string {
  switch (shared.kind) {
    case 'nothing':
      return `nothing: ${shared.why}`;
    case 'file':
      return shared.path;
    case 'selection':
      return `${shared.path}, lines ${shared.first + 1} to ${shared.last + 1} selected`;
  }
}
