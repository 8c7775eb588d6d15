import type { Answerer, Revision } from '../../revision.ts';
import { only } from '../2024-11-05/revision.ts';
import { revision20250326 } from '../2025-03-26/revision.ts';

/** Adds structured content, resource links, titles and elicitation; takes batches away. */
export const revision20250618: Revision = {
  ...revision20250326,
  version: '2025-06-18',
  batches: false,
  requests: new Map<string, Answerer>([...revision20250326.requests, ['elicitation/create', 'client']]),
  shape: {
    implementation: (info) => only(info, ['name', 'version', 'title']),
    tool: withoutIcons,
    toolResult: (result) => result,
    content: (block) => block,
    resource: withoutIcons,
    resourceTemplate: withoutIcons,
    prompt: withoutIcons,
  },
};

function withoutIcons<T extends { icons?: unknown }>(described: T): T {
  if (described.icons === undefined) return described;
  const { icons: _unknownHere, ...rest } = described;
  return rest as T;
}
