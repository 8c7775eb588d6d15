import type { Responder, Revision, WireShape } from '../../revision.ts';
import type { Annotations, CallToolResult, ContentBlock, ResourceContents } from '../../types.ts';

const requests = new Map<string, Responder>([
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
  tool: (tool) => only(tool, ['name', 'description', 'inputSchema']),
  toolResult: (result) => withoutStructure(result, content),
  content,
  resource: (resource) => undated(only(resource, ['uri', 'name', 'description', 'mimeType', 'size', 'annotations'])),
  resourceTemplate: (template) =>
    undated(only(template, ['uriTemplate', 'name', 'description', 'mimeType', 'annotations'])),
  resourceContents,
  prompt: (prompt) => {
    const args = prompt.arguments?.map((argument) => only(argument, ['name', 'description', 'required']));
    return { ...only(prompt, ['name', 'description']), ...(args && { arguments: args }) };
  },
  completion: ({ ref, argument }) => ({
    ref: ref.type === 'ref/prompt' ? only(ref, ['type', 'name']) : ref,
    argument,
  }),
  progress: (progress) => only(progress, ['progress', 'total']),
  root: (root) => only(root, ['uri', 'name']),
  elicitation: ({ mode: _unknownHere, ...params }) => params,
};

export const revision20241105: Revision = {
  version: '2024-11-05',
  stateless: false,
  requests,
  batches: false,
  unreadableId: null,
  invalidToolInput: 'error',
  structuredContent: 'object',
  resourceNotFoundCode: -32002,
  primedStreams: false,
  urlElicitation: false,
  samplingTools: false,
  shape,
};

/** A copy with these members only. The names must include all that are not optional. */
export function only<T extends object>(value: T, names: readonly (keyof T)[]): T {
  const copy: Partial<T> = {};
  for (const name of names) if (value[name] !== undefined) copy[name] = value[name];
  return copy as T;
}

/** For revisions without structured content. Its JSON is in the text blocks already. */
export function withoutStructure(
  { content: blocks, isError, _meta }: CallToolResult,
  fit: (block: ContentBlock) => ContentBlock,
): CallToolResult {
  const result: CallToolResult = { content: blocks.map(fit) };
  if (isError !== undefined) result.isError = isError;
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

/** Content as it was before 2025-06-18: no links, no `_meta`, no dates. */
export function plainContent(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'resource_link':
      return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
    case 'text':
      return undated(only(block, ['type', 'text', 'annotations']));
    case 'resource':
      return {
        ...undated(only(block, ['type', 'resource', 'annotations'])),
        resource: resourceContents(block.resource),
      };
    default:
      return undated(only(block, ['type', 'data', 'mimeType', 'annotations']));
  }
}

function content(block: ContentBlock): ContentBlock {
  if (block.type !== 'audio') return plainContent(block);
  return { type: 'text', text: `[audio, ${block.mimeType}: not part of protocol revision 2024-11-05]` };
}

function resourceContents(contents: ResourceContents): ResourceContents {
  return only(contents, ['uri', 'mimeType', 'text', 'blob']);
}

function undated<T extends { annotations?: Annotations }>(annotated: T): T {
  const { annotations } = annotated;
  if (annotations?.lastModified === undefined) return annotated;
  return { ...annotated, annotations: only(annotations, ['audience', 'priority']) };
}
