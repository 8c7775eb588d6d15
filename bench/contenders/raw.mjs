// The floor: a transport, JSON.parse and a Map. No validation, no sessions, no cancellation, no limits.
import { lineWriter, readLines } from '../wire/lines.mjs';
import { selectionChanged } from '../wire/selection-changed.mjs';
import { syntheticInputSchema, syntheticTools } from '../wire/synthetic-tools.mjs';

/** @type {{ name: string, description: string, inputSchema: object }[]} */
const toolList = [
  {
    name: 'echo',
    description: 'Returns the text it was given',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'burst',
    description: 'Sends selection_changed notifications, then answers',
    inputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  },
];
toolList.push(...syntheticTools(() => syntheticInputSchema));

/** @type {Map<string, (input: any, peer: any) => any>} */
const tools = new Map(
  /** @type {[string, (input: any, peer: any) => any][]} */ ([
    ['echo', ({ text }) => ({ content: [{ type: 'text', text }] })],
    ['burst', burst],
  ]),
);

/** @type {Map<string, (params?: any, peer?: any) => any>} */
const methods = new Map(
  /** @type {[string, (params?: any, peer?: any) => any][]} */ ([
    ['initialize', initialize],
    ['ping', () => ({})],
    ['tools/list', () => ({ tools: toolList })],
    ['tools/call', ({ name, arguments: input }, peer) => tools.get(name)?.(input, peer)],
  ]),
);

function initialize({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1.0.0' } };
}

async function burst({ count }, { send, drained }) {
  for (let index = 0; index < count; index++) {
    const { method, params } = selectionChanged(index);
    if (!send(JSON.stringify({ jsonrpc: '2.0', method, params }))) await drained();
  }
  return { content: [{ type: 'text', text: `sent ${count}` }] };
}

/** `peer` is `{ send(text): boolean, drained(): Promise }`. */
function receive(text, peer) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return;
  const result = methods.get(method)?.(params, peer);
  if (result instanceof Promise) result.then((settled) => answer(id, settled, peer));
  else answer(id, result, peer);
}

function answer(id, result, { send }) {
  send(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function stdio() {
  const peer = {
    send: lineWriter(process.stdout),
    drained: () => new Promise((resolve) => process.stdout.once('drain', resolve)),
  };
  readLines(process.stdin, (line) => receive(line, peer));
}

async function ws() {
  const { corkedSender, listenWebSocket } = await import('../wire/web-socket-listen.mjs');
  listenWebSocket((webSocket, socket) => {
    const peer = { send: corkedSender(webSocket, socket), drained: () => Promise.resolve() };
    webSocket.on('message', (data) => receive(data.toString(), peer));
  });
}

/** It gives a session id, so that all contenders get the same requests, but never looks at one. */
async function http() {
  const { answers, listenHttp } = await import('../wire/http-listen.mjs');
  listenHttp(({ headers }, response, text) => {
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const result = methods.get(method)?.(params);
    if (method === 'initialize') response.setHeader('Mcp-Session-Id', crypto.randomUUID());
    if (headers['mcp-method'] !== undefined) result.resultType = 'complete';
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (answers === 'sse') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
      response.end(`event: message\ndata: ${body}\n\n`);
    } else {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    }
  });
}

/** Client and server hand each other objects through a microtask. */
async function memory() {
  const { reportCalls } = await import('../load/in-process.mjs');
  const pending = new Map();
  let nextId = 0;
  /** @param {{ jsonrpc: string, id: number, result: unknown }} message */
  const toClient = ({ id, result }) => {
    const resolve = pending.get(id);
    pending.delete(id);
    resolve(result);
  };
  const toServer = ({ id, method, params }) => {
    const result = methods.get(method)?.(params);
    queueMicrotask(() => toClient({ jsonrpc: '2.0', id, result }));
  };
  await reportCalls(
    (text) =>
      new Promise((resolve) => {
        const id = nextId++;
        pending.set(id, resolve);
        const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } };
        queueMicrotask(() => toServer(message));
      }),
  );
}

async function notifications() {
  const [{ spawn }, { reportBursts }] = await Promise.all([
    import('node:child_process'),
    import('../load/in-process.mjs'),
  ]);
  const server = spawn(process.execPath, [import.meta.filename, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map();
  const handlers = new Map();
  let nextId = 0;
  readLines(server.stdout, (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (id === undefined) {
      handlers.get(method)?.(params);
    } else {
      const resolve = pending.get(id);
      pending.delete(id);
      resolve(result);
    }
  });
  const send = lineWriter(server.stdin);
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = nextId++;
      pending.set(id, resolve);
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  await request('initialize', { protocolVersion: '2025-06-18' });
  await reportBursts({
    burst: (count) => request('tools/call', { name: 'burst', arguments: { count } }),
    subscribe: (listener) => handlers.set('selection_changed', listener),
  });
  server.stdin.end();
}

await { stdio, ws, http, memory, notifications }[process.argv[2]]();
