import type { Responder, Revision } from '../../revision.ts';
import type { CallToolResult, ContentBlock, Tool } from '../../types.ts';
import { only } from '../2024-11-05/revision.ts';
import { revision20250326 } from '../2025-03-26/revision.ts';

/** Adds structured content, resource links, titles and elicitation; takes batches away. */
export const revision20250618: Revision = {
  ...revision20250326,
  version: '2025-06-18',
  batches: false,
  requests: new Map<string, Responder>([...revision20250326.requests, ['elicitation/create', 'client']]),
  shape: {
    implementation: (info) => only(info, ['name', 'version', 'title']),
    tool: (tool) => withoutIcons(objectOutput(tool)),
    toolResult: (result) => {
      const { content: blocks, ...rest } = objectResult(result);
      return { ...rest, content: blocks.some(hasIcons) ? blocks.map(content) : blocks };
    },
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

/** Before 2026-07-28 the output of a tool is an object. Other output is in the text blocks, too. */
export function objectOutput(tool: Tool): Tool {
  if (tool.outputSchema === undefined || tool.outputSchema.type === 'object') return tool;
  const { outputSchema: _other, ...rest } = tool;
  return rest;
}

/** The result without structured content that is not an object. */
export function objectResult(result: CallToolResult): CallToolResult {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined) return result;
  return typeof structuredContent === 'object' && structuredContent !== null && !Array.isArray(structuredContent)
    ? result
    : rest;
}

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
