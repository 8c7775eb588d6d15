import type { Answerer, Revision } from '../../revision.ts';
import type { ContentBlock } from '../../types.ts';
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
    toolResult: (result) =>
      result.content.some(hasIcons) ? { ...result, content: result.content.map(content) } : result,
    content,
    resource: withoutIcons,
    resourceTemplate: withoutIcons,
    resourceContents: (contents) => contents,
    prompt: withoutIcons,
    completion: (params) => params,
    progress: (progress) => progress,
    root: (root) => root,
    elicitation: revision20250326.shape.elicitation,
  },
};

function content(block: ContentBlock): ContentBlock {
  return hasIcons(block) ? withoutIcons(block) : block;
}

function hasIcons(block: ContentBlock): boolean {
  return block.type === 'resource_link' && block.icons !== undefined;
}

function withoutIcons<T extends object>(described: T): T {
  const { icons, ...rest } = described as T & { icons?: unknown };
  if (icons === undefined) return described;
  return rest as T;
}
