import type { Answerer, Revision, WireShape } from '../../revision.ts';
import type { CallToolResult, ContentBlock } from '../../types.ts';

const requests = new Map<string, Answerer>([
  ['initialize', 'server'],
  ['ping', 'both'],
  ['tools/list', 'server'],
  ['tools/call', 'server'],
  ['resources/list', 'server'],
  ['resources/templates/list', 'server'],
  ['resources/read', 'server'],
  ['resources/subscribe', 'server'],
  ['resources/unsubscribe', 'server'],
  ['prompts/list', 'server'],
  ['prompts/get', 'server'],
  ['completion/complete', 'server'],
  ['logging/setLevel', 'server'],
  ['sampling/createMessage', 'client'],
  ['roots/list', 'client'],
]);

const shape: WireShape = {
  implementation: (info) => only(info, ['name', 'version']),
  tool: (tool) => only(tool, ['name', 'description', 'inputSchema', '_meta']),
  toolResult: (result) => withoutStructure(result, content),
  content,
  resource: (resource) => only(resource, ['uri', 'name', 'description', 'mimeType', 'size', 'annotations']),
  resourceTemplate: (template) => only(template, ['uriTemplate', 'name', 'description', 'mimeType', 'annotations']),
  prompt: (prompt) => {
    const args = prompt.arguments?.map((argument) => only(argument, ['name', 'description', 'required']));
    return { ...only(prompt, ['name', 'description']), ...(args && { arguments: args }) };
  },
};

export const revision20241105: Revision = {
  version: '2024-11-05',
  stateless: false,
  requests,
  batches: false,
  unreadableId: null,
  invalidToolInput: 'error',
  resourceNotFoundCode: -32002,
  shape,
};

/** A copy with these members alone, as far as they are there. The names must include all that are not optional. */
export function only<T extends object>(value: T, names: readonly (keyof T)[]): T {
  const copy: Partial<T> = {};
  for (const name of names) if (value[name] !== undefined) copy[name] = value[name];
  return copy as T;
}

/** For editions without structured content: its JSON stands in the text blocks already. */
export function withoutStructure(
  { content: blocks, isError, _meta }: CallToolResult,
  fit: (block: ContentBlock) => ContentBlock,
): CallToolResult {
  const result: CallToolResult = { content: blocks.map(fit) };
  if (isError !== undefined) result.isError = isError;
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

export function linkAsText(block: ContentBlock): ContentBlock {
  if (block.type !== 'resource_link') return block;
  return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
}

function content(block: ContentBlock): ContentBlock {
  if (block.type !== 'audio') return linkAsText(block);
  return { type: 'text', text: `[audio, ${block.mimeType}: not part of protocol revision 2024-11-05]` };
}
