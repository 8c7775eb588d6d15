// What the bad server offers, and how it answers for it when it breaks no rule.
import { SPOILED_CONTENT, SPOILED_ITEMS } from './spoiled-items.mjs';

const object = (more = {}) => ({ type: 'object', ...more });
const harmless = { annotations: { readOnlyHint: true } };
export const PIXEL = 'iVBORw0KGgo=';
const TOOLS = [
  {
    name: 'echo',
    description: 'Echoes',
    inputSchema: object({ properties: { text: { type: 'string' } }, required: ['text'] }),
  },
  { name: 'now', description: 'Tells the time', inputSchema: object(), ...harmless },
  { name: 'steps', description: 'Reports progress', inputSchema: object(), ...harmless },
  { name: 'media', description: 'Every kind of content', inputSchema: object(), ...harmless },
  {
    name: 'weather',
    description: 'Has a schema for its result',
    inputSchema: object(),
    outputSchema: object({ properties: { degrees: { type: 'number' } }, required: ['degrees'] }),
    ...harmless,
  },
];
const RESOURCES = [
  { uri: 'test://one', name: 'one' },
  { uri: 'test://two', name: 'two', mimeType: 'image/png' },
];
const PROMPTS = [
  { name: 'plain' },
  { name: 'rich' },
  { name: 'greet', arguments: [{ name: 'who', description: 'Whom to greet', required: true }] },
];
const ITEMS = {
  tools: TOOLS,
  resources: RESOURCES,
  resourceTemplates: [{ name: 'many', uriTemplate: 'test://{a}' }],
  prompts: PROMPTS,
};
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const LISTS = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

const BLOCKS = {
  text: { type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 } },
  image: { type: 'image', data: PIXEL, mimeType: 'image/png' },
  audio: { type: 'audio', data: PIXEL, mimeType: 'audio/wav' },
  resource: { type: 'resource', resource: { uri: 'test://one', text: 'x' } },
  link: { type: 'resource_link', uri: 'test://one', name: 'one' },
};

/** Blocks of every type. One is wrong if the rule is about them. */
function blocksOf(source, rule) {
  const spoiled = rule.startsWith(`${source}-content-`)
    ? SPOILED_CONTENT[rule.replace(`${source}-content-`, '')]
    : undefined;
  return spoiled === undefined ? Object.values(BLOCKS) : [...Object.values(BLOCKS), spoiled];
}

/** A result, `{ error: code }`, or undefined for a method that there is not. */
export function catalog(rule, method, params) {
  const list = Object.hasOwn(LISTS, method) ? LISTS[method] : undefined;
  if (list !== undefined) {
    if (params.cursor !== undefined) return { error: -32602 };
    const more = SPOILED_ITEMS[list][rule];
    return { [list]: more === undefined ? ITEMS[list] : [...ITEMS[list], more] };
  }
  switch (method) {
    case 'tools/call':
      return callTool(rule, params);
    case 'resources/read':
      if (typeof params.uri !== 'string') return { error: -32602 };
      if (params.uri === 'test://one') return { contents: [{ uri: params.uri, text: 'x' }] };
      if (params.uri === 'test://two') return { contents: [{ uri: params.uri, blob: PIXEL, mimeType: 'image/png' }] };
      return { error: -32002 };
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return params.uri === undefined ? { error: -32602 } : {};
    case 'prompts/get': {
      const prompt = PROMPTS.find(({ name }) => name === params.name);
      if (prompt === undefined || Array.isArray(params.arguments)) return { error: -32602 };
      if (prompt.arguments !== undefined && params.arguments?.who === undefined) return { error: -32602 };
      const blocks = prompt.name === 'rich' ? blocksOf('prompt', rule) : [{ type: 'text', text: 'x' }];
      return { messages: blocks.map((content) => ({ role: 'user', content })) };
    }
    case 'logging/setLevel':
      return LEVELS.includes(params.level) ? {} : { error: -32602 };
    case 'completion/complete':
      if (params.ref?.name !== 'greet' || params.argument === undefined) return { error: -32602 };
      return { completion: { values: ['Ada'], total: 1, hasMore: false } };
    case 'tasks/get':
    case 'tasks/result':
    case 'tasks/cancel':
      return { error: -32602 };
    case 'tasks/list':
      return { tasks: [] };
    default:
      return undefined;
  }
}

function callTool(rule, { name, arguments: given = {} }) {
  const done = { content: [{ type: 'text', text: 'done' }] };
  const failed = { content: [{ type: 'text', text: 'Refused' }], isError: true };
  if (typeof given !== 'object' || Array.isArray(given)) return { error: -32602 };
  if (name === 'now' || name === 'steps') return done;
  if (name === 'media') return { content: blocksOf('tool', rule) };
  if (name === 'weather') return { content: [{ type: 'text', text: '21' }], structuredContent: { degrees: 21 } };
  if (name !== 'echo') return { error: -32602 };
  return typeof given.text === 'string' ? done : failed;
}

export function capabilitiesOf(rule) {
  const all = {
    tools: rule === 'capabilities-shape' ? { listChanged: 'yes' } : {},
    resources: { subscribe: rule !== 'subscribe-undeclared' },
    prompts: {},
    logging: {},
    completions: {},
    tasks: { list: rule === 'capabilities-tasks' ? true : {}, cancel: {}, requests: { tools: { call: {} } } },
  };
  const hidden = rule === 'log-declared' ? 'logging' : /^(\w+)-undeclared$/.exec(rule)?.[1];
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== hidden));
}
