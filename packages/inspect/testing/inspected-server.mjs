// A server of the built package for the page of `hawser inspect`: node inspected-server.mjs stdio|http
import { Server } from '@hawser/mcp';

const object = (properties, required = [], more = {}) => ({ type: 'object', properties, required, ...more });
const json = (value) => JSON.stringify(value);
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR4nGP4z8DwnxTMQJLq/6MaRjUMKA0A2XL+AhS2nAAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** One of everything that a schema can have. */
const difficult = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    point: object({ x: { type: 'number' }, y: { type: 'number' } }, ['x', 'y']),
    tree: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } }, ['name']),
    circle: object({ kind: { const: 'circle' }, radius: { type: 'number', exclusiveMinimum: 0 } }, ['kind', 'radius']),
    box: object({ kind: { const: 'box' }, corner: { $ref: '#/$defs/point' } }, ['kind', 'corner']),
  },
  properties: {
    title: { type: 'string', minLength: 3, pattern: '^[A-Z]', description: 'Begins with a capital' },
    count: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number', default: 0.5 },
    isLoud: { type: 'boolean' },
    colour: { enum: ['red', 'green', 'blue'] },
    version: { const: 2 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    days: { type: 'array', items: { enum: ['Monday', 'Tuesday', 'Sunday'] }, uniqueItems: true },
    shape: { oneOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/box' }] },
    limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    tree: { $ref: '#/$defs/tree' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    anything: {},
    __proto: { type: 'string' },
  },
  required: ['title', 'count', 'version', 'tags', 'shape'],
};

function makeServer() {
  const server = new Server(
    { name: 'inspected', title: 'Inspected Server', version: '1.2.3', websiteUrl: 'https://example.com/' },
    { instructions: 'Call echo first.\nThen look at the resources.', capabilities: { logging: {} } },
  );
  server.tool(
    {
      name: 'echo',
      description: 'Answers the text',
      inputSchema: object({ text: { type: 'string' } }, ['text']),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => text,
  );
  server.tool({ name: 'difficult', description: 'Answers its arguments', inputSchema: difficult }, (args) =>
    json(args),
  );
  server.tool({ name: 'fail', description: 'Fails', annotations: { destructiveHint: true } }, () => ({
    content: [{ type: 'text', text: 'The disk is full' }],
    isError: true,
  }));
  server.tool(
    {
      name: 'weather',
      description: 'Has structured content',
      inputSchema: object({ city: { type: 'string' } }, ['city']),
      outputSchema: object({ city: { type: 'string' }, degrees: { type: 'number' } }, ['city', 'degrees']),
    },
    ({ city }) => ({ structuredContent: { city, degrees: 21.5 } }),
  );
  server.tool({ name: 'media', description: 'An image, a sound and links' }, () => ({
    content: [
      { type: 'text', text: 'Look and listen' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'audio', data: SILENCE, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'note://inside', mimeType: 'text/plain', text: 'An embedded note' } },
      { type: 'resource_link', uri: 'note://first', name: 'first', title: 'The first note' },
    ],
  }));
  server.tool(
    { name: 'wait', description: 'Reports progress until it is cancelled' },
    async (_args, { progress, signal, log }) => {
      log('warning', 'It will take a while', 'waiting');
      progress(1, 4, 'a quarter');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      log('error', 'cancelled');
    },
  );
  server.tool({ name: 'book', description: 'Asks who wants a table' }, async (_args, { elicit }) => {
    const requestedSchema = object(
      {
        name: { type: 'string', title: 'Your name', minLength: 1 },
        seats: { type: 'integer', minimum: 1, maximum: 8 },
        meal: { type: 'string', enum: ['fish', 'soup'], default: 'soup' },
      },
      ['name', 'seats'],
    );
    return json(await elicit({ message: 'A table for whom?', requestedSchema }));
  });
  server.tool({ name: 'interview', description: 'Asks many questions' }, async (_args, { elicit }) => {
    const names = Array.from({ length: 20 }, (_, index) => `question${index + 1}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    return json(await elicit({ message: 'Twenty questions', requestedSchema: object(properties, []) }));
  });
  server.tool({ name: 'sign-in', description: 'Asks to open a page' }, async (_args, { elicit }) =>
    json(
      await elicit({
        mode: 'url',
        message: 'Sign in first',
        url: 'https://example.com/login?x=1',
        elicitationId: 'e1',
      }),
    ),
  );
  server.tool({ name: 'poem', description: 'Asks a model' }, async (_args, { createMessage }) =>
    json(
      await createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'A poem, please' } }],
        maxTokens: 50,
      }),
    ),
  );
  server.tool({ name: 'folders', description: 'Asks for the roots' }, async (_args, { listRoots }) =>
    json(await listRoots()),
  );
  let visits = 0;
  server.tool({ name: 'visit', description: 'Counts its calls' }, () => {
    visits += 1;
    return `visit ${visits}`;
  });
  server.tool({ name: 'grow', description: 'Adds a tool, and changes a note' }, () => {
    server.tool({ name: 'grown', description: 'New' }, () => 'new');
    server.resourceUpdated('note://first');
    return 'grown';
  });
  server.resource(
    { uri: 'note://first', name: 'first', title: 'The first note', mimeType: 'text/plain' },
    () => 'The text of the first note',
  );
  server.resource({ uri: 'note://pixel', name: 'pixel', mimeType: 'image/png' }, (uri) => ({
    uri,
    mimeType: 'image/png',
    blob: PIXEL,
  }));
  server.resourceTemplate(
    {
      uriTemplate: 'note://by/{author}{?year}',
      name: 'by',
      title: 'Notes of an author',
      complete: { author: (text) => ['ann', 'anton', 'bob'].filter((name) => name.startsWith(text)) },
    },
    ({ author, year }) => `Notes by ${author} of ${year ?? 'all years'}`,
  );
  server.prompt(
    {
      name: 'review',
      description: 'Asks for a review',
      arguments: [
        {
          name: 'language',
          required: true,
          complete: (text) => ['lisp', 'lua'].filter((name) => name.startsWith(text)),
        },
        { name: 'tone' },
      ],
    },
    ({ language, tone = 'kind' }) => `Review this ${language}, be ${tone}`,
  );
  return server;
}

const [, , mode] = process.argv;
process.stderr.write('inspected-server has started\n');
if (mode === 'stdio') {
  const { serveStdio } = await import('@hawser/mcp/stdio');
  serveStdio(makeServer());
} else {
  const { serveHttp } = await import('@hawser/mcp/http');
  console.log((await serveHttp(makeServer())).url);
}
