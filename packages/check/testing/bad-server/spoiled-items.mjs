// What is wrong in a list or in content, by the rule that it breaks.
const tool = (more) => ({ name: 'x', description: 'd', inputSchema: { type: 'object' }, ...more });
const schema = (more) => tool({ inputSchema: { type: 'object', ...more } });
const resource = (more) => ({ uri: 'test://three', name: 'three', ...more });
const template = (more) => ({ uriTemplate: 'test://more/{b}', name: 'more', ...more });
const prompt = (more) => ({ name: 'x', ...more, arguments: more.arguments ?? [{ name: 'y', required: true }] });

/** Of every kind of item. */
const anyItem = (one, item) => ({
  [`${one}-icons`]: item({ icons: [{ src: 'https://example.com/a.png', sizes: '16x16' }] }),
  [`${one}-meta`]: item({ _meta: { _private: 1 } }),
  [`${one}-texts`]: item({ title: 5 }),
});

export const SPOILED_ITEMS = {
  tools: {
    ...anyItem('tool', tool),
    'tool-names': tool({ name: 'has space' }),
    'tool-names-unique': tool({ name: 'echo' }),
    'tool-names-case': tool({ name: 'ECHO' }),
    'tool-input-schema': tool({ inputSchema: { type: 'string' } }),
    'tool-input-schema-valid': schema({ properties: { a: { type: 'text' } } }),
    'tool-output-schema-valid': tool({ outputSchema: { type: 'object', required: 5 } }),
    'tool-output-schema-type': tool({ outputSchema: { type: 'string' } }),
    'tool-annotations': tool({ annotations: { destructiveHint: 'no' } }),
    'tool-descriptions': tool({ description: undefined }),
    'tool-execution': tool({ execution: { taskSupport: 'sometimes' } }),
    'tool-required-described': schema({ properties: {}, required: ['a'] }),
    'tool-schema-references': schema({ properties: { a: { $ref: 'https://example.com/a.json' } } }),
    'tool-schema-dialect': schema({ $schema: 'http://json-schema.org/draft-04/schema#' }),
    'tool-hints-contradict': schema({ required: ['a'], properties: { a: {} } }),
    'tool-header-parameters': schema({ properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }),
    'icon-sources': tool({ icons: [{ src: 'file:///icon.png' }] }),
  },
  resources: {
    ...anyItem('resource', resource),
    'resource-uris': resource({ uri: 'no-scheme' }),
    'resource-uris-unique': resource({ uri: 'test://one' }),
    'resource-annotations': resource({ annotations: { priority: 2 } }),
    'resource-mime-type': resource({ mimeType: 'text' }),
    'resource-size': resource({ size: '5' }),
    'resource-uri-syntax': resource({ uri: 'test://has space' }),
    'resources-readable': resource({}),
  },
  resourceTemplates: {
    ...anyItem('resource-template', template),
    'resource-templates': template({ uriTemplate: 'test://{a' }),
    'resource-template-annotations': template({ annotations: { audience: 'user' } }),
    'resource-template-mime-type': template({ mimeType: 'text' }),
    'resource-templates-unique': template({ uriTemplate: 'test://{a}' }),
  },
  prompts: {
    ...anyItem('prompt', prompt),
    'prompt-names-unique': prompt({ name: 'greet' }),
    'prompt-arguments': prompt({ arguments: [{ name: 'y', required: 'yes' }] }),
    'prompt-argument-texts': prompt({ arguments: [{ name: 'y', description: 5, required: true }] }),
    'prompt-arguments-unique': prompt({ arguments: [{ name: 'y', required: true }, { name: 'y' }] }),
  },
};
SPOILED_ITEMS.tools['tool-hints-contradict'].annotations = { readOnlyHint: true, destructiveHint: true };

/** By the end of the rule's name. */
export const SPOILED_CONTENT = {
  types: { type: 'video', data: '' },
  annotations: { type: 'text', text: 'x', annotations: { priority: 7 } },
  meta: { type: 'text', text: 'x', _meta: { _private: 1 } },
  text: { type: 'text', text: 5 },
  image: { type: 'image', data: '<svg>', mimeType: 'image/svg+xml' },
  audio: { type: 'audio', data: 'UklGRg==', mimeType: 'wav' },
  resource: { type: 'resource', resource: { uri: 'test://one' } },
  link: { type: 'resource_link', uri: 'test://one' },
};
