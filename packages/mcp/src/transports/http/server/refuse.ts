import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { ALL_VERSIONS } from '../../../protocol/revisions/all.ts';
import type { BodyFlaw } from './read-body.ts';

export interface RefusalOptions {
  readonly headers?: Record<string, string>;
  /** Default -32000. */
  readonly code?: number;
  /** Of the request that is refused, where it is known. */
  readonly id?: RequestId | undefined;
}

const SESSION_NOT_FOUND = -32001;
/** How long a client may go on sending a body that was refused. */
const LINGER_MS = 1000;

/** Answers with an error of JSON-RPC that says why. */
export function refuse(response: ServerResponse, status: number, message: string, options?: RefusalOptions): void {
  if (write(response, status, message, options)) response.end();
}

export function refuseSession(response: ServerResponse): void {
  refuse(response, 404, 'Session not found', { code: SESSION_NOT_FOUND });
}

/** For the editions with sessions: a header that names a version must name one that is spoken here. */
export function refuseVersion({ headers }: IncomingMessage, response: ServerResponse): boolean {
  const version = headers['mcp-protocol-version'];
  if (typeof version !== 'string' || ALL_VERSIONS.includes(version)) return false;
  const message = `Unsupported protocol version in the header: ${version}; supported are ${ALL_VERSIONS.join(', ')}`;
  refuse(response, 400, message, { code: ErrorCode.InvalidRequest });
  return true;
}

export function refuseBody(response: ServerResponse, why: BodyFlaw, maxBytes: number): void {
  if (why === 'truncated') {
    response.destroy();
  } else if (why === 'not UTF-8') {
    refuse(response, 400, 'Parse error: the body is not valid UTF-8', { code: ErrorCode.ParseError });
  } else {
    const message = `The body is larger than the limit of ${maxBytes} bytes`;
    if (!write(response, 413, message, { headers: { Connection: 'close' } })) return;
    // A connection closed while the client still sends takes the answer with it, so the client may go on for a moment.
    const end = () => response.end();
    const late = setTimeout(end, LINGER_MS);
    response.req.resume().once('close', end);
    response.once('close', () => clearTimeout(late));
  }
}

/** True when it could be written. */
function write(response: ServerResponse, status: number, message: string, options: RefusalOptions = {}): boolean {
  const { headers, code = ErrorCode.LimitReached, id } = options;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return false;
  }
  const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).write(text);
  return true;
}
