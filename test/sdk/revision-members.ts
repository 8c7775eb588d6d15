export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
export type Version = (typeof VERSIONS)[number];

/** The members of an object, by the revision that brought them: `name`, `!` when it must be there, `: Kind` or `: Kind[]`. */
type Members = { readonly [version in Version]?: readonly string[] };

/**
 * What the specification's schemas let each kind of object hold. Those schemas admit unknown members nearly everywhere,
 * so that a member sent too early goes unnoticed with them; this table notices. A kind begins with its first revision.
 * Left open: capabilities, `_meta` objects, JSON Schemas, and whatever the people who use the library put into `data`,
 * arguments and structured content.
 */
export const MEMBERS: { readonly [kind: string]: Members } = {
  Implementation: {
    '2024-11-05': ['name!', 'version!'],
    '2025-06-18': ['title'],
    '2025-11-25': ['icons: Icon[]', 'description', 'websiteUrl'],
  },
  Icon: { '2025-11-25': ['src!', 'mimeType', 'sizes', 'theme'] },
  Annotations: { '2024-11-05': ['audience', 'priority'], '2025-06-18': ['lastModified'] },
  Empty: { '2024-11-05': ['_meta'] },
  EmptyResult: { '2024-11-05': ['_meta'] },

  InitializeRequestParams: {
    '2024-11-05': ['protocolVersion!', 'capabilities!', 'clientInfo!: Implementation', '_meta'],
  },
  InitializeResult: {
    '2024-11-05': ['protocolVersion!', 'capabilities!', 'serverInfo!: Implementation', 'instructions', '_meta'],
  },
  PaginatedRequestParams: { '2024-11-05': ['cursor', '_meta'] },
  CancelledNotificationParams: { '2024-11-05': ['requestId!', 'reason', '_meta'] },
  ProgressNotificationParams: {
    '2024-11-05': ['progressToken!', 'progress!', 'total', '_meta'],
    '2025-03-26': ['message'],
  },

  Tool: {
    '2024-11-05': ['name!', 'description', 'inputSchema!'],
    '2025-03-26': ['annotations: ToolAnnotations'],
    '2025-06-18': ['title', 'outputSchema', '_meta'],
    '2025-11-25': ['icons: Icon[]', 'execution'],
  },
  ToolAnnotations: {
    '2025-03-26': ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
  },
  ListToolsResult: { '2024-11-05': ['tools!: Tool[]', 'nextCursor', '_meta'] },
  CallToolRequestParams: { '2024-11-05': ['name!', 'arguments', '_meta'], '2025-11-25': ['task'] },
  CallToolResult: {
    '2024-11-05': ['content!: Content[]', 'isError', '_meta'],
    '2025-06-18': ['structuredContent'],
  },

  TextContent: { '2024-11-05': ['type!', 'text!', 'annotations: Annotations'], '2025-06-18': ['_meta'] },
  ImageContent: { '2024-11-05': ['type!', 'data!', 'mimeType!', 'annotations: Annotations'], '2025-06-18': ['_meta'] },
  AudioContent: { '2025-03-26': ['type!', 'data!', 'mimeType!', 'annotations: Annotations'], '2025-06-18': ['_meta'] },
  EmbeddedResource: {
    '2024-11-05': ['type!', 'resource!: ResourceContents', 'annotations: Annotations'],
    '2025-06-18': ['_meta'],
  },
  ResourceLink: {
    '2025-06-18': [
      'type!',
      'uri!',
      'name!',
      'title',
      'description',
      'mimeType',
      'size',
      'annotations: Annotations',
      '_meta',
    ],
    '2025-11-25': ['icons: Icon[]'],
  },
  ToolUseContent: { '2025-11-25': ['type!', 'id!', 'name!', 'input!', '_meta'] },
  ToolResultContent: {
    '2025-11-25': ['type!', 'toolUseId!', 'content!: Content[]', 'structuredContent', 'isError', '_meta'],
  },

  Resource: {
    '2024-11-05': ['uri!', 'name!', 'description', 'mimeType', 'size', 'annotations: Annotations'],
    '2025-06-18': ['title', '_meta'],
    '2025-11-25': ['icons: Icon[]'],
  },
  ResourceTemplate: {
    '2024-11-05': ['uriTemplate!', 'name!', 'description', 'mimeType', 'annotations: Annotations'],
    '2025-06-18': ['title', '_meta'],
    '2025-11-25': ['icons: Icon[]'],
  },
  ResourceContents: { '2024-11-05': ['uri!', 'mimeType', 'text', 'blob'], '2025-06-18': ['_meta'] },
  ResourceRequestParams: { '2024-11-05': ['uri!', '_meta'] },
  ListResourcesResult: { '2024-11-05': ['resources!: Resource[]', 'nextCursor', '_meta'] },
  ListResourceTemplatesResult: { '2024-11-05': ['resourceTemplates!: ResourceTemplate[]', 'nextCursor', '_meta'] },
  ReadResourceResult: { '2024-11-05': ['contents!: ResourceContents[]', '_meta'] },

  Prompt: {
    '2024-11-05': ['name!', 'description', 'arguments: PromptArgument[]'],
    '2025-06-18': ['title', '_meta'],
    '2025-11-25': ['icons: Icon[]'],
  },
  PromptArgument: { '2024-11-05': ['name!', 'description', 'required'], '2025-06-18': ['title'] },
  PromptMessage: { '2024-11-05': ['role!', 'content!: Content'] },
  ListPromptsResult: { '2024-11-05': ['prompts!: Prompt[]', 'nextCursor', '_meta'] },
  GetPromptRequestParams: { '2024-11-05': ['name!', 'arguments', '_meta'] },
  GetPromptResult: { '2024-11-05': ['messages!: PromptMessage[]', 'description', '_meta'] },

  CompleteRequestParams: {
    '2024-11-05': ['ref!: Reference', 'argument!: Argument', '_meta'],
    '2025-06-18': ['context'],
  },
  PromptReference: { '2024-11-05': ['type!', 'name!'], '2025-06-18': ['title'] },
  ResourceTemplateReference: { '2024-11-05': ['type!', 'uri!'] },
  Argument: { '2024-11-05': ['name!', 'value!'] },
  CompleteResult: { '2024-11-05': ['completion!: Completion', '_meta'] },
  Completion: { '2024-11-05': ['values!', 'total', 'hasMore'] },

  SetLevelRequestParams: { '2024-11-05': ['level!', '_meta'] },
  LoggingMessageNotificationParams: { '2024-11-05': ['level!', 'logger', 'data!', '_meta'] },

  CreateMessageRequestParams: {
    '2024-11-05': [
      ...['messages!: SamplingMessage[]', 'maxTokens!', 'modelPreferences', 'systemPrompt', 'includeContext'],
      ...['temperature', 'stopSequences', 'metadata', '_meta'],
    ],
    '2025-11-25': ['tools: Tool[]', 'toolChoice', 'task'],
  },
  SamplingMessage: { '2024-11-05': ['role!', 'content!: SamplingContent'], '2025-11-25': ['_meta'] },
  CreateMessageResultWithTools: {
    '2024-11-05': ['role!', 'content!: SamplingContent', 'model!', 'stopReason', '_meta'],
  },

  ElicitRequestParams: {
    '2025-06-18': ['message!', 'requestedSchema', '_meta'],
    '2025-11-25': ['mode', 'url', 'elicitationId', 'task'],
  },
  ElicitResult: { '2025-06-18': ['action!', 'content', '_meta'] },
  ElicitationCompleteNotificationParams: { '2025-11-25': ['elicitationId!', '_meta'] },

  Root: { '2024-11-05': ['uri!', 'name'], '2025-06-18': ['_meta'] },
  ListRootsResult: { '2024-11-05': ['roots!: Root[]', '_meta'] },
};

/** Kinds that say by their `type` which kind they are. */
export const UNIONS: { readonly [union: string]: { readonly [type: string]: string } } = {
  Content: {
    text: 'TextContent',
    image: 'ImageContent',
    audio: 'AudioContent',
    resource: 'EmbeddedResource',
    resource_link: 'ResourceLink',
  },
  SamplingContent: {
    text: 'TextContent',
    image: 'ImageContent',
    audio: 'AudioContent',
    tool_use: 'ToolUseContent',
    tool_result: 'ToolResultContent',
  },
  Reference: { 'ref/prompt': 'PromptReference', 'ref/resource': 'ResourceTemplateReference' },
};

/** Whether a revision has this kind of object at all. */
export function knowsKind(version: Version, kind: string): boolean {
  return upTo(version).some((earlier) => MEMBERS[kind]?.[earlier] !== undefined);
}

export function memberNames(kind: string, version: Version): string[] {
  return [...membersOf(kind, version).keys()];
}

/** What is wrong with the members of a value, all the way down. */
export function memberProblems(value: unknown, kind: string, version: Version, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is not an object`];
  const object = value as { [member: string]: unknown };
  const union = UNIONS[kind];
  if (union !== undefined) {
    const actual = union[String(object.type)];
    if (actual === undefined || !knowsKind(version, actual))
      return [`${path}.type ${object.type} is not in ${version}`];
    return memberProblems(value, actual, version, path);
  }
  const known = membersOf(kind, version);
  const missing = [...known.values()]
    .filter(({ name, required }) => required && object[name] === undefined)
    .map(({ name }) => `${path}.${name} is missing`);
  return missing.concat(
    Object.keys(object).flatMap((name) => {
      const member = known.get(name);
      if (member === undefined) return [`${path}.${name} is not in ${version}`];
      return member.kind === undefined ? [] : valueProblems(object[name], member, version, `${path}.${name}`);
    }),
  );
}

interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly kind: string | undefined;
  readonly list: boolean;
}

function valueProblems(value: unknown, { kind = '', list }: Member, version: Version, path: string): string[] {
  // Since 2025-11-25 the content of a sampling message may be a list.
  const mayBeList = kind === 'SamplingContent' && version === '2025-11-25' && Array.isArray(value);
  if (!list && !mayBeList) return memberProblems(value, kind, version, path);
  if (!Array.isArray(value)) return [`${path} is not a list`];
  return value.flatMap((item, index) => memberProblems(item, kind, version, `${path}[${index}]`));
}

function membersOf(kind: string, version: Version): Map<string, Member> {
  const table = MEMBERS[kind];
  if (table === undefined) throw new Error(`There is no kind ${kind}`);
  return new Map(
    upTo(version)
      .flatMap((earlier) => table[earlier] ?? [])
      .map((text) => parseMember(text))
      .map((member) => [member.name, member]),
  );
}

function parseMember(text: string): Member {
  const [, name = '', mark, kind, list] = /^(\w+)(!?)(?:: (\w+)(\[\])?)?$/.exec(text) ?? [];
  if (name === '') throw new Error(`Not a member: ${text}`);
  return { name, required: mark === '!', kind, list: list !== undefined };
}

function upTo(version: Version): readonly Version[] {
  return VERSIONS.slice(0, VERSIONS.indexOf(version) + 1);
}
