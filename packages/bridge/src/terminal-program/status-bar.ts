import { basename } from 'node:path';
import type { Status } from '../control/calls.ts';
import type { WorkspaceFacts } from '../terminal/facts.ts';

const REVIEWED = { yes: 'reviewed', no: 'NOT reviewed', depends: 'reviewed if it asks' } as const;

/** `shop | claude-code: reviewed | shares src/cart.ts`. Addresses are for `hawser status`. */
export function statusBar(status: Status, { agents }: WorkspaceFacts, nameOf: (path: string) => string): string {
  const { folders, paused, shared } = status;
  const ready = status.agents.flatMap(({ clients }) => clients.filter(({ state }) => state === 'ready'));
  const names = ready.map(({ id, name }) => {
    const kind = agents.find(({ connected }) => connected.some((each) => each.id === id))?.review.kind;
    return kind === undefined ? name : `${name}: ${REVIEWED[kind]}`;
  });
  return [
    folders.map((folder) => basename(folder)).join(', '),
    names.length === 0 ? 'no agent connected' : names.join(', '),
    paused ? 'PAUSED: shares nothing' : `shares ${shared.kind === 'nothing' ? 'no file' : nameOf(shared.path)}`,
  ].join(' | ');
}
