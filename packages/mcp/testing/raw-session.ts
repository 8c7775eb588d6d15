import type { Json } from './json.ts';
import type { RawHttp, RawResponse } from './raw-http.ts';

export interface SessionIdentity {
  readonly id: string;
  readonly version: string;
}

export interface OpenOptions {
  readonly version?: string;
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
}

let lastId = 100;

/** A client's side of a session, spelled out request by request. */
export class RawSession {
  readonly http: RawHttp;
  readonly id: string;
  readonly version: string;

  constructor(http: RawHttp, { id, version }: SessionIdentity) {
    this.http = http;
    this.id = id;
    this.version = version;
  }

  /** Initializes, and says so. */
  static async open(http: RawHttp, options: OpenOptions = {}): Promise<RawSession> {
    const { version = '2025-11-25', headers = {} } = options;
    const response = await http.post(initialize(options), headers);
    const { result } = await response.outcome();
    if (response.sessionId === undefined) throw new Error(`No session: HTTP ${response.status}`);
    const session = new RawSession(http, { id: response.sessionId, version: result?.protocolVersion ?? version });
    const { Authorization } = headers;
    const { status } = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { Authorization });
    if (status !== 202) throw new Error(`Not initialized: HTTP ${status}`);
    return session;
  }

  /** The same session, through another process. */
  through(http: RawHttp): RawSession {
    return new RawSession(http, this);
  }

  get headers(): Record<string, string> {
    return { 'Mcp-Session-Id': this.id, 'MCP-Protocol-Version': this.version };
  }

  post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<RawResponse> {
    return this.http.post(body, { ...this.headers, ...headers });
  }

  /** Settles with the head of the response. */
  request(method: string, params?: object, id: number | string = nextId()): Promise<RawResponse> {
    return this.post({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  }

  call(name: string, args: object = {}, more: object = {}): Promise<RawResponse> {
    return this.request('tools/call', { name, arguments: args, ...more });
  }

  /** The response, from a JSON body or an event stream. */
  async ask(method: string, params?: object): Promise<Json> {
    return (await this.request(method, params)).outcome();
  }

  notify(method: string, params?: object): Promise<RawResponse> {
    return this.post({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Responds to a request of the server's. */
  respond(id: number | string, result: object): Promise<RawResponse> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  listen(lastEventId?: string): Promise<RawResponse> {
    const headers = { ...this.headers, Accept: 'text/event-stream', 'Last-Event-ID': lastEventId };
    return this.http.send('GET', { headers });
  }

  delete(): Promise<RawResponse> {
    return this.http.send('DELETE', { headers: this.headers });
  }
}

export function initialize({ version = '2025-11-25', capabilities = {} }: OpenOptions = {}): object {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '0' } };
  return { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params };
}

function nextId(): number {
  lastId += 1;
  return lastId;
}
