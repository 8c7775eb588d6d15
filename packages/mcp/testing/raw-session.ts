import type { Answer, Json, RawHttp } from './raw-http.ts';

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
    const answer = await http.post(initialize(options), headers);
    const { result } = await answer.outcome();
    if (answer.sessionId === undefined) throw new Error(`No session: HTTP ${answer.status}`);
    const session = new RawSession(http, { id: answer.sessionId, version: result?.protocolVersion ?? version });
    const { Authorization } = headers;
    const response = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { Authorization });
    if (response.status !== 202) throw new Error(`Not initialized: HTTP ${response.status}`);
    return session;
  }

  /** The same session, through another process. */
  through(http: RawHttp): RawSession {
    return new RawSession(http, this);
  }

  get headers(): Record<string, string> {
    return { 'Mcp-Session-Id': this.id, 'MCP-Protocol-Version': this.version };
  }

  post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> {
    return this.http.post(body, { ...this.headers, ...headers });
  }

  /** Settles with the head of the answer. */
  request(method: string, params?: object, id: number | string = nextId()): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  }

  call(name: string, args: object = {}, more: object = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args, ...more });
  }

  /** The answer, from a JSON body or an event stream. */
  async ask(method: string, params?: object): Promise<Json> {
    return (await this.request(method, params)).outcome();
  }

  notify(method: string, params?: object): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Answers a request of the server's. */
  answer(id: number | string, result: object): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  listen(lastEventId?: string): Promise<Answer> {
    const headers = { ...this.headers, Accept: 'text/event-stream', 'Last-Event-ID': lastEventId };
    return this.http.send('GET', { headers });
  }

  delete(): Promise<Answer> {
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
