// Streamable HTTP for the bad server: /RULE is the endpoint of the server that breaks it. ?sse answers with event streams and
// has GET streams; ?stateless has no sessions.
import { randomUUID } from 'node:crypto';
import { Conversation, Dead, failure } from './conversation.mjs';
import { EventStreams } from './event-streams.mjs';

const sessions = new Map();
const deleted = new Set();

export async function handle(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const rule = pathname.slice(1);
  const breaks = (name) => rule === name;
  const { headers, method } = request;
  const isStreaming = searchParams.has('sse');
  const cors = breaks('http-cors') ? { 'Access-Control-Allow-Origin': '*' } : {};
  const refuse = (status) => response.writeHead(status, { 'Content-Type': 'text/plain', ...cors }).end('Refused');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let body = Buffer.concat(chunks).toString();

  if (breaks('ws-plain-request')) return response.end('hello');
  if (headers.origin !== undefined && !isAllowedOrigin()) return refuse(403);
  if (!/^127\.0\.0\.1(:|$)/.test(headers.host) && !breaks('http-host')) return refuse(403);
  const sessionId = headers['mcp-session-id'];
  if (method === 'HEAD' && breaks('http-head')) return refuse(500);
  if (!['POST', 'GET', 'DELETE'].includes(method) && !breaks('http-method')) return refuse(405);
  if (method === 'GET' || method === 'DELETE') return withoutBody();

  const type = headers['content-type'];
  if (!isJsonType(type)) return refuse(415);
  const accept = headers.accept ?? '';
  const isAccepted =
    breaks('http-accept') || /json/.test(accept) || (accept === '*/*' && !breaks('http-accept-wildcard'));
  if (!isAccepted || (breaks('http-accept-order') && accept.startsWith('text/event-stream;'))) return refuse(406);
  if (body === '' && breaks('http-body-empty')) return response.writeHead(202).end();
  if (body === '42' && breaks('http-body-number')) return response.writeHead(200).end();
  if (body.includes('\ufffd') && breaks('http-body-invalid-utf8')) return refuse(500);
  if (body !== body.trim() && breaks('http-body-whitespace')) return refuse(400);
  if (breaks('http-body-two-messages'))
    [body] = body.split('}\n{').map((part, _, parts) => (parts.length > 1 ? `${part}}` : part));

  const message = parsed(body);
  const meta = message?.params?._meta;
  const isStateless = meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  const opens = message?.method === 'initialize' && sessionId === undefined;
  if (opens && searchParams.has('stateless')) return refuse(400);
  const isLone = isStateless || (message === undefined && headers['mcp-method'] !== undefined);
  let session = isLone || opens ? { conversation: new Conversation(rule) } : sessions.get(sessionId);
  if (session === undefined && sessionId === undefined) {
    if (!breaks('http-session-missing')) return refuse(400);
    session = started();
  }
  if (session === undefined) {
    if (!breaks('http-session-unknown') || deleted.has(`${rule} ${sessionId}`)) return refuse(404);
    session = started();
  }
  const version = headers['mcp-protocol-version'];
  if (version === undefined && !opens && breaks('http-version-header-missing')) return refuse(400);
  if (version === '1999-01-01' && !breaks('http-version-header')) return refuse(400);
  if (version === 'newest' && !breaks('http-version-header-malformed')) return refuse(400);
  const mismatch = isStateless ? headerProblem() : undefined;
  if (mismatch !== undefined && !breaks(mismatch)) return send(400, [failure(message?.id, -32020)]);
  if (breaks('http-get-during') && session.streams?.isOpen) return refuse(409);
  if (message?.method === 'ping') session.pings = (session.pings ?? 0) + 1;
  if (breaks('http-disconnect') && session.pings >= 3) return refuse(500);
  try {
    const answers = session.conversation.receive(body);
    send(statusOf(answers), answers);
  } catch (error) {
    if (!(error instanceof Dead)) throw error;
    request.socket.destroy();
  }

  function isAllowedOrigin() {
    const { origin } = headers;
    if (isStatelessRequest()) return breaks('stateless-http-origin');
    if (method !== 'POST') return breaks(`http-origin-${method.toLowerCase()}`);
    if (origin === 'null') return breaks('http-origin-null');
    if (origin.includes('localhost')) return breaks('http-origin-similar');
    return breaks('http-origin');
  }

  function isStatelessRequest() {
    return headers['mcp-method'] !== undefined;
  }

  function isJsonType(given) {
    if (given === undefined) return breaks('http-content-type-missing');
    if (given === 'text/plain') return breaks('http-content-type');
    if (given.includes('charset') && breaks('http-content-type-charset')) return false;
    return breaks('http-content-type-case') ? given.startsWith('application/json') : /^application\/json/i.test(given);
  }

  function withoutBody() {
    const lower = method.toLowerCase();
    if (searchParams.has('stateless')) return breaks(`stateless-http-${lower}`) ? response.end() : refuse(405);
    if (method === 'GET' && !isStreaming) return breaks('http-get') ? response.end('hello') : refuse(405);
    if (headers['mcp-protocol-version'] === '1999-01-01' && !breaks(`http-version-header-${lower}`)) return refuse(400);
    if (sessionId === undefined && !breaks(`http-${lower}-without-session`)) return refuse(400);
    const isGone = deleted.has(`${rule} ${sessionId}`) && breaks('http-delete-get');
    const lax = method === 'GET' ? 'http-get-unknown-session' : 'http-delete-unknown';
    const isUnknown = breaks(lax) && !deleted.has(`${rule} ${sessionId}`);
    const known = sessions.get(sessionId) ?? (isGone || isUnknown || sessionId === undefined ? started() : undefined);
    if (known === undefined) return refuse(404);
    return method === 'GET' ? openGet(known) : endSession();
  }

  function endSession() {
    if (!breaks('http-session-delete')) sessions.delete(sessionId);
    if (breaks('http-delete-other'))
      for (const [id, { conversation }] of sessions) if (conversation.rule === rule) sessions.delete(id);
    deleted.add(`${rule} ${sessionId}`);
    return response.writeHead(204).end();
  }

  function openGet(known) {
    if (!headers.accept?.includes('text/event-stream') && !breaks('http-get-accept')) return refuse(406);
    const last = headers['last-event-id'];
    if (last === 'hawser-no-such-event' && breaks('http-resume-unknown')) return refuse(500);
    known.streams ??= new EventStreams();
    if (known.streams.isOpen && breaks('http-get-twice')) return refuse(409);
    if (known.streams.opened > 0 && !known.streams.isOpen && breaks('http-get-again')) return refuse(409);
    const stream = known.streams.openGet(response);
    if (last !== undefined && breaks('http-resume-other-stream'))
      stream.send({ jsonrpc: '2.0', id: 'other', result: {} });
  }

  function headerProblem() {
    const given = headers['mcp-method'];
    if (given === undefined) return 'stateless-header-method-missing';
    if (given !== message.method) {
      return given.toLowerCase() === message.method ? 'stateless-header-method-case' : 'stateless-header-mismatch';
    }
    if (headers['mcp-protocol-version'] !== meta['io.modelcontextprotocol/protocolVersion']) {
      return `stateless-header-version-${headers['mcp-protocol-version'] === undefined ? 'missing' : 'mismatch'}`;
    }
    if (breaks('stateless-header-names-case') && request.rawHeaders.includes('MCP-METHOD'))
      return 'refused by the rule';
    if (!['tools/call', 'prompts/get', 'resources/read'].includes(message.method)) return undefined;
    const name = headers['mcp-name'];
    if (name === undefined) return 'stateless-header-name-missing';
    const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(name) ?? [];
    const isDecoded = encoded !== undefined && !breaks('stateless-header-name-base64');
    const decoded = isDecoded ? Buffer.from(encoded, 'base64').toString() : name;
    if (decoded !== (message.params.name ?? message.params.uri)) {
      return encoded === undefined ? 'stateless-header-name-mismatch' : 'wrong base64';
    }
    return undefined;
  }

  function statusOf(answers) {
    if (message === undefined) return breaks(isLone ? 'stateless-http-parse-error' : 'http-parse-error') ? 200 : 400;
    if (!isObject(message)) return 400;
    if (!isStateless) return 200;
    if (headers['mcp-session-id'] !== undefined && breaks('stateless-session-id-ignored')) return 404;
    if (headers['last-event-id'] !== undefined && breaks('stateless-last-event-id-ignored')) return 400;
    const code = answers.find(({ error }) => error)?.error.code;
    if (code === -32601) return breaks('stateless-http-unknown-method') ? 200 : 404;
    if (code === -32022) return breaks('stateless-http-version') ? 200 : 400;
    if (code === -32602 && meta['io.modelcontextprotocol/clientCapabilities'] === undefined) {
      return breaks('stateless-http-capabilities') ? 200 : 400;
    }
    return code === -32021 ? 400 : 200;
  }

  function send(status, answers) {
    const id = opens ? open() : isStateless && breaks('stateless-no-session-id') ? 'x' : undefined;
    const named = id === undefined ? {} : { 'Mcp-Session-Id': id };
    if (message?.method === 'subscriptions/listen' && answers.every(({ error }) => !error)) return listen(answers);
    if (answers.length === 0) {
      if (message?.result !== undefined && breaks('http-response-accepted')) return response.end('{}');
      return response.writeHead(breaks('http-notification') ? 200 : 202, named).end();
    }
    if (breaks('http-own-response') && message?.id === 'own-3') answers = [{ ...answers[0], id: 'own-4' }];
    if (isStreaming && status === 200 && !isStateless) return stream(answers, named);
    const [answer] = answers.filter((each) => each.method === undefined || isStateless);
    const isWrongType =
      (breaks('http-answer-type') && message?.id === 'ping') || (breaks('stateless-http-answer-type') && isStateless);
    response
      .writeHead(status, { 'Content-Type': isWrongType ? 'text/plain' : 'application/json', ...named })
      .end(JSON.stringify(answer));
  }

  function stream(answers, named) {
    session.streams ??= new EventStreams();
    const events = session.streams.openPost(response, named, { rule });
    for (const answer of answers) if (!breaks('http-stream-answer') || answer.id !== 'ping') events.send(answer);
    if (breaks('http-get-answers')) session.streams.sendOnGet(answers[0]);
    if (!breaks('http-stream-ends') || opens || message.id !== 'ping') response.end();
  }

  function listen(answers) {
    if (breaks('listen-stream'))
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answers[0]));
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      ...(!breaks('listen-buffering') && { 'X-Accel-Buffering': 'no' }),
    });
    for (const answer of answers) response.write(`data: ${JSON.stringify(answer)}\n\n`);
  }

  function open() {
    const spoiled = { 'http-session-id': `has a space ${randomUUID()}`, 'http-session-id-unique': `${sessions.size}` };
    const id = spoiled[rule] ?? randomUUID();
    sessions.set(id, session);
    return id;
  }

  /** A session that is past initialize. */
  function started() {
    const conversation = new Conversation(rule);
    conversation.revision = '2025-11-25';
    conversation.isInitialized = true;
    return { conversation };
  }
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
