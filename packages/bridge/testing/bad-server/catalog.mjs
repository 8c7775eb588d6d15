// What the bad server offers, and how it answers for it.
const object = (more = {}) => ({ type: 'object', ...more });
const TOOLS = [
  {
    name: 'echo',
    description: 'Echoes',
    inputSchema: object({ properties: { text: { type: 'string' } }, required: ['text'] }),
  },
  { name: 'now', description: 'Tells the time', inputSchema: object(), annotations: { readOnlyHint: true } },
];
const MORE_TOOLS = {
  'tool-names': { name: 'has space', description: 'd', inputSchema: object() },
  'tool-names-unique': TOOLS[0],
  'tool-input-schema': { name: 'x', description: 'd', inputSchema: { type: 'string' } },
  'tool-input-schema-valid': {
    name: 'x',
    description: 'd',
    inputSchema: object({ properties: { a: { type: 'text' } } }),
  },
  'tool-output-schema-valid': {
    name: 'x',
    description: 'd',
    inputSchema: object(),
    outputSchema: object({ required: 5 }),
  },
  'tool-annotations': { name: 'x', description: 'd', inputSchema: object(), annotations: { destructiveHint: 'no' } },
  'tool-texts': { name: 'x', title: 5, description: 'd', inputSchema: object() },
  'tool-descriptions': { name: 'x', inputSchema: object() },
};
const RESOURCES = [{ uri: 'test://one', name: 'one' }];
const MORE_RESOURCES = { 'resource-uris': { uri: 'no scheme', name: 'two' }, 'resource-uris-unique': RESOURCES[0] };
const PROMPTS = [{ name: 'plain' }, { name: 'greet', arguments: [{ name: 'who', required: true }] }];
const MORE_PROMPTS = {
  'prompt-names-unique': PROMPTS[1],
  'prompt-arguments': { name: 'x', arguments: [{ name: 'y', required: 'yes' }] },
};
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A result, `{ error: code }`, or undefined for a method that there is not. */
export function catalog(rule, method, params) {
  const breaks = (name) => rule === name;
  const listed = (name, items, more) => {
    if (breaks(`${name}-declared`) && params.cursor === undefined) return {};
    if (params.cursor === 'again') return { [name]: [], nextCursor: 'again' };
    if (params.cursor !== undefined && !breaks(`${name}-bad-cursor`)) return { error: -32602 };
    const all = more[rule] === undefined ? items : [...items, more[rule]];
    return { [name]: all, ...(name === 'tools' && breaks('tools-pagination') && { nextCursor: 'again' }) };
  };
  switch (method) {
    case 'tools/list':
      return listed('tools', TOOLS, MORE_TOOLS);
    case 'tools/call':
      return callTool(breaks, params);
    case 'resources/list':
      return listed('resources', RESOURCES, MORE_RESOURCES);
    case 'resources/templates/list':
      return {
        resourceTemplates: [{ name: 'many', uriTemplate: breaks('resource-templates') ? 'test://{a' : 'test://{a}' }],
      };
    case 'resources/read': {
      if (params.uri === undefined) return { error: breaks('resource-read-without-uri') ? -32603 : -32602 };
      if (params.uri !== 'test://one') return breaks('unknown-resource') ? { contents: [] } : { error: -32002 };
      return { contents: [breaks('resource-contents') ? { text: 'x' } : { uri: params.uri, text: 'x' }] };
    }
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return breaks('resource-subscribe') ? { error: -32601 } : {};
    case 'prompts/list':
      return listed('prompts', PROMPTS, MORE_PROMPTS);
    case 'prompts/get': {
      const prompt = PROMPTS.find(({ name }) => name === params.name);
      if (prompt === undefined && !breaks('unknown-prompt')) return { error: -32602 };
      const isMissing = prompt?.arguments !== undefined && params.arguments?.who === undefined;
      if (isMissing && !breaks('prompt-argument-missing')) return { error: -32602 };
      return {
        messages: [{ role: breaks('prompt-messages') ? 'system' : 'user', content: { type: 'text', text: 'x' } }],
      };
    }
    case 'logging/setLevel':
      if (!LEVELS.includes(params.level)) return breaks('logging-level-unknown') ? {} : { error: -32602 };
      return breaks('logging-level') ? { error: -32601 } : {};
    case 'completion/complete':
      return breaks('completion-unknown-prompt') ? { completion: { values: ['x'] } } : { error: -32602 };
    default:
      return undefined;
  }
}

function callTool(breaks, { name, arguments: given = {} }) {
  const done = { content: [{ type: 'text', text: 'done' }] };
  const failed = { content: [{ type: 'text', text: 'Refused' }], isError: true };
  if (name === undefined) return { error: breaks('tool-call-without-name') ? -32603 : -32602 };
  if (name === 'now') return breaks('tool-result') ? { content: 'done' } : done;
  if (name !== 'echo') {
    if (name in {} && breaks('unknown-tool-prototype')) return done;
    return breaks('unknown-tool') ? failed : { error: -32602 };
  }
  if (given.text === undefined) return breaks('tool-arguments-missing') ? done : failed;
  return typeof given.text === 'string' || breaks('tool-arguments-type') ? done : failed;
}

export function capabilitiesOf(rule) {
  const all = {
    tools: rule === 'capabilities-shape' ? { listChanged: 'yes' } : {},
    resources: { subscribe: true },
    prompts: {},
    logging: {},
    completions: {},
  };
  const hidden = /^(tools|resources|prompts)-undeclared$/.exec(rule)?.[1];
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== hidden));
}
