// Streamable HTTP for the bad server: /RULE is the endpoint of the server that breaks it.
import { randomUUID } from 'node:crypto';
import { Conversation, Dead, failure } from './conversation.mjs';

const sessions = new Map();
const deleted = new Set();

export async function handle(request, response) {
  const rule = request.url.slice(1);
  const breaks = (name) => rule === name;
  const { headers, method } = request;
  const refuse = (status) => response.writeHead(status, { 'Content-Type': 'text/plain' }).end('Refused');
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;

  if (headers.origin !== undefined && !breaks('http-origin')) return refuse(403);
  if (!/^127\.0\.0\.1(:|$)/.test(headers.host) && !breaks('http-host')) return refuse(403);
  if (method === 'GET') return breaks('http-get') ? response.end('hello') : refuse(405);
  const sessionId = headers['mcp-session-id'];
  if (method === 'DELETE') {
    if (!breaks('http-session-delete')) sessions.delete(sessionId);
    deleted.add(sessionId);
    return response.writeHead(204).end();
  }
  if (method !== 'POST' && !breaks('http-method')) return refuse(405);
  if (!headers['content-type']?.startsWith('application/json') && !breaks('http-content-type')) return refuse(415);
  if (!headers.accept?.includes('json') && !breaks('http-accept')) return refuse(406);

  const message = parsed(body);
  const isStateless = message?.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  const opens = message?.method === 'initialize' && sessionId === undefined;
  let conversation = isStateless || opens ? new Conversation(rule) : sessions.get(sessionId);
  if (conversation === undefined && sessionId === undefined) {
    if (!breaks('http-session-missing')) return refuse(400);
    conversation = started(rule);
  }
  if (conversation === undefined) {
    if (!breaks('http-session-unknown') || deleted.has(sessionId)) return refuse(404);
    conversation = started(rule);
  }
  const version = headers['mcp-protocol-version'];
  if (version === undefined && !opens && breaks('http-version-header-missing')) return refuse(400);
  if (version === '1999-01-01' && !breaks('http-version-header')) return refuse(400);
  if (isStateless && headers['mcp-method'] !== message?.method && !breaks('stateless-header-mismatch')) {
    return send(400, [failure(message?.id, -32020)]);
  }
  try {
    send(statusOf(message), conversation.receive(body));
  } catch (error) {
    if (!(error instanceof Dead)) throw error;
    request.socket.destroy();
  }

  function statusOf() {
    if (message === undefined) return breaks('http-parse-error') ? 200 : 400;
    const isUnknown = isStateless && message.method.startsWith('hawser/');
    return isUnknown && !breaks('stateless-http-unknown-method') ? 404 : 200;
  }

  function send(status, answers) {
    const id = opens ? open() : isStateless && breaks('stateless-no-session-id') ? 'x' : undefined;
    const named = id === undefined ? {} : { 'Mcp-Session-Id': id };
    if (answers.length === 0) return response.writeHead(breaks('http-notification') ? 200 : 202, named).end();
    if (breaks('http-events') && status === 200) {
      const events = answers.map((answer) => `data: ${JSON.stringify(answer)}\n\n`);
      return response
        .writeHead(200, { 'Content-Type': 'text/event-stream', ...named })
        .end(`data: hello\n\n${events.join('')}`);
    }
    const type = breaks('http-answer-type') && message?.id === 'ping' ? 'text/plain' : 'application/json';
    response
      .writeHead(status, { 'Content-Type': type, ...named })
      .end(answers.map((answer) => JSON.stringify(answer)).join('\n'));
  }

  function open() {
    const id = breaks('http-session-id') ? `${sessions.size}` : randomUUID();
    sessions.set(id, conversation);
    return id;
  }
}

/** A conversation that is past initialize. */
function started(rule) {
  const conversation = new Conversation(rule);
  conversation.revision = '2025-11-25';
  return conversation;
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
