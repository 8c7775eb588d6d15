import { once } from 'node:events';
import { connect } from 'node:net';

// Written by hand because a general HTTP client costs more than the servers measured with it.
const END_OF_LINE = '\r\n';
const END_OF_HEAD = '\r\n\r\n';
const ID_LENGTH = 7;
const ZERO = 0x30;
const READ_LENGTH = 64 * 1024;

/**
 * An HTTP endpoint as a wire; see openStdioWire for what a wire does. Each request in flight has a keep-alive
 * connection to itself. `connect(count)` opens the connections, `disconnect` closes them: servers end those that are
 * idle for five seconds, so none is kept between samples. What `send` is given leaves in order, one after the other.
 * `lastAnswered` says how the last answer came: `json` or `sse`.
 */
export function openHttpWire(url, headers) {
  let connections = [];
  let idle = [];
  let unsent = [];
  let sessionId;

  const head = (length) => {
    const lines = { Host: url.host, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    Object.assign(lines, headers, sessionId && { 'Mcp-Session-Id': sessionId }, { 'Content-Length': length });
    const fields = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
    return [`POST ${url.pathname} HTTP/1.1`, ...fields].join(END_OF_LINE) + END_OF_HEAD;
  };
  const sendNext = () => {
    const [first] = connections;
    if (unsent.length === 0 || !idle.includes(first)) return;
    idle.splice(idle.indexOf(first), 1);
    first.socket.write(unsent.shift());
  };
  const answered = (connection, { head: { status, isEvents, sessionId: given }, body }) => {
    idle.push(connection);
    sessionId ??= given;
    wire.lastAnswered = isEvents ? 'sse' : 'json';
    if (status !== '200' && status !== '202') wire.onEnd(new Error(`The server answered ${status}: ${body}`));
    else if (body !== '') wire.onText(isEvents ? answerIn(body) : body);
    sendNext();
    wire.onPause();
  };

  /** @type {{ onText: (text: string) => void, onPause: () => void, onEnd: (error: Error) => void, lastAnswered: 'json' | 'sse' | undefined, [name: string]: any }} */
  const wire = {
    onText: () => {},
    onPause: () => {},
    onEnd: () => {},
    lastAnswered: undefined,
    send: (text) => {
      unsent.push(`${head(Buffer.byteLength(text))}${text}`);
      sendNext();
    },
    prepare: (beforeId, afterId) => {
      const body = `${beforeId}${'0'.repeat(ID_LENGTH)}${afterId}`;
      const start = head(Buffer.byteLength(body));
      // One copy for each connection: nothing may change under a request that is still being sent.
      for (const connection of connections) connection.prepared = Buffer.from(start + body);
      const lastDigit = Buffer.byteLength(start + beforeId) + ID_LENGTH - 1;
      return (firstId, count) => {
        for (let id = firstId; id < firstId + count; id++) {
          const { socket, prepared } = idle.pop();
          for (let place = lastDigit, rest = id; rest > 0; place--, rest = Math.trunc(rest / 10)) {
            prepared[place] = ZERO + (rest % 10);
          }
          socket.write(prepared);
        }
      };
    },
    connect: async (count) => {
      connections = await Promise.all(
        Array.from({ length: count }, () => open(url, answered, (error) => wire.onEnd(error))),
      );
      idle = connections.toReversed();
      unsent = [];
    },
    disconnect: () => {
      for (const { socket } of connections) socket.removeAllListeners('close').destroy();
      connections = [];
    },
  };
  return wire;
}

async function open(url, answered, ended) {
  let unread;
  const read = (length, buffer) => {
    const bytes = buffer.subarray(0, length);
    const response = readResponse(unread === undefined ? bytes : Buffer.concat([unread, bytes]));
    // A copy, because the buffer is used again for what comes next.
    if (response === undefined) unread = Buffer.concat(unread === undefined ? [bytes] : [unread, bytes]);
    else {
      unread = undefined;
      answered(connection, response);
    }
    return true;
  };
  // Without `onread` the client would spend a good part of its time on streams.
  const onread = { buffer: Buffer.alloc(READ_LENGTH), callback: read };
  const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true, onread });
  const connection = { socket, prepared: undefined };
  await once(socket, 'connect');
  socket.on('error', ended);
  socket.on('close', () => ended(new Error('The server closed the connection')));
  return connection;
}

/** Undefined when it is not complete. Nothing follows it, since nothing is asked before it is there. */
function readResponse(bytes) {
  const endOfHead = bytes.indexOf(END_OF_HEAD);
  if (endOfHead === -1) return undefined;
  const head = readHead(bytes.latin1Slice(0, endOfHead));
  const start = endOfHead + END_OF_HEAD.length;
  const body = head.isChunked ? chunkedBody(bytes, start) : plainBody(bytes, start, head.length);
  return body === undefined ? undefined : { head, body };
}

let lastHead = { text: '' };

/** The heads of a second are all the same, so the last one is remembered. */
function readHead(text) {
  if (text !== lastHead.text) {
    const field = (name) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(text)?.[1];
    lastHead = {
      text,
      status: text.slice(9, 12),
      isChunked: field('transfer-encoding') === 'chunked',
      length: Number(field('content-length') ?? 0),
      isEvents: field('content-type')?.startsWith('text/event-stream') ?? false,
      sessionId: field('mcp-session-id'),
    };
  }
  return lastHead;
}

function plainBody(bytes, start, length) {
  return bytes.length < start + length ? undefined : bytes.utf8Slice(start, start + length);
}

function chunkedBody(bytes, start) {
  let body = '';
  for (let at = start; ; ) {
    const endOfSize = bytes.indexOf(END_OF_LINE, at);
    if (endOfSize === -1) return undefined;
    const size = Number.parseInt(bytes.latin1Slice(at, endOfSize), 16);
    at = endOfSize + END_OF_LINE.length;
    if (bytes.length < at + size + END_OF_LINE.length) return undefined;
    if (size === 0) return body;
    // Chunks end with an event here, never within a character.
    body += bytes.utf8Slice(at, at + size);
    at += size + END_OF_LINE.length;
  }
}

/** The data of the last event, which is one line; those before it have none. */
function answerIn(events) {
  const start = events.lastIndexOf('\ndata: ') + '\ndata: '.length;
  return events.slice(start, events.indexOf('\n', start));
}
