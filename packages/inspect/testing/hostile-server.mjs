// An MCP server on stdio in plain Node whose texts attack who shows them, with 5000 tools.
import { createInterface } from 'node:readline';

const MARKUP = '<img src=x onerror="document.title=\'attacked\'"><script>document.title="attacked"</script>';
const BIDI = 'safe\u202egnp.exe\u2066\u200b';
const LONG = 'w'.repeat(100_000);

const tools = [
  {
    name: 'markup',
    title: MARKUP,
    description: `${MARKUP} [click](javascript:alert(1))`,
    inputSchema: { type: 'object', properties: { [MARKUP]: { type: 'string', description: MARKUP, default: MARKUP } } },
  },
  { name: `bidi-${BIDI}`, description: BIDI, inputSchema: { type: 'object' } },
  {
    name: 'long',
    title: LONG,
    description: LONG,
    inputSchema: { type: 'object', properties: { [LONG.slice(0, 5000)]: { enum: [LONG, MARKUP] } } },
  },
  {
    name: 'strange',
    description: 'Schemas that lead nowhere',
    inputSchema: {
      type: 'object',
      properties: {
        self: { $ref: '#/properties/self' },
        gone: { $ref: '#/$defs/none' },
        elsewhere: { $ref: 'https://example.com/x' },
        number: 7,
        list: [],
        ['__proto__']: { type: 'string' },
        'lone\ud800': { type: 'string' },
      },
      required: ['deep', 5],
      allOf: 'x',
      anyOf: [],
    },
  },
  {
    name: 'slow-pattern',
    description: 'A pattern without end',
    inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } }, required: ['text'] },
  },
  ...Array.from({ length: 5000 }, (_, index) => ({
    name: `tool-${index}`,
    description: `Number ${index}`,
    inputSchema: { type: 'object' },
  })),
];

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {}, logging: {} },
    serverInfo: { name: MARKUP, title: `${BIDI}${MARKUP}`, version: LONG, websiteUrl: 'javascript:alert(1)' },
    instructions: MARKUP.repeat(50),
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools }),
  'resources/list': () => ({
    resources: [{ uri: `javascript:alert(1)//${MARKUP}`, name: MARKUP, mimeType: `text/html"${MARKUP}` }],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x://{', name: MARKUP }] }),
  'resources/read': ({ uri }) => ({
    contents: [
      { uri, mimeType: 'text/html', text: MARKUP },
      {
        uri,
        mimeType: 'image/svg+xml',
        blob: btoa(
          `<svg xmlns="http://www.w3.org/2000/svg" onload="top.document.title='attacked'"><script>top.document.title='attacked'</script></svg>`,
        ),
      },
    ],
  }),
  'tools/call': ({ name }) => ({
    content: [
      { type: 'text', text: name === 'long' ? LONG.repeat(5) : MARKUP },
      { type: 'text', text: BIDI },
      { type: 'resource_link', uri: 'javascript:document.title="attacked"', name: MARKUP },
      { type: 'image', data: '"><script>document.title="attacked"</script>', mimeType: 'image/png"><script>' },
      { type: 'video', anything: MARKUP },
    ],
    structuredContent: { [MARKUP]: BIDI },
    isError: true,
  }),
};

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/initialized') {
    process.stderr.write(`${MARKUP}\u001b[31m\n`);
    process.stdout.write('this is not JSON\n');
    send({ method: 'notifications/message', params: { level: MARKUP, logger: MARKUP, data: { [MARKUP]: BIDI } } });
  }
  if (id === undefined) return;
  const answer = answers[method];
  send(answer ? { id, result: answer(params ?? {}) } : { id, error: { code: -32601, message: MARKUP } });
});
