import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One HTTP request to an endpoint under a test's control, and the ways to respond to it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body. */
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: { [name: string]: unknown } };
  readonly response: ServerResponse;
  /** Settles when the client has ended the exchange, or it is complete. */
  readonly closed: Promise<void>;
  json(value: object, headers?: Record<string, string>): void;
  result(result: object, headers?: Record<string, string>): void;
  status(status: number, body?: string, headers?: Record<string, string>): void;
  /** Begins or goes on with an event stream. */
  events(text: string, headers?: Record<string, string>): void;
}

/** A real HTTP server whose every response is a test's. */
export class ScriptedEndpoint {
  readonly calls: Call[] = [];
  readonly #server: Server;
  #wakers: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(respond: (call: Call) => void, socketPath?: string): Promise<ScriptedEndpoint> {
    const endpoint: ScriptedEndpoint = new ScriptedEndpoint(
      createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (part) => {
          body += part;
        });
        request.on('end', () => {
          const call = makeCall(request.method ?? '', request.url ?? '', request.headers, body, response);
          endpoint.calls.push(call);
          for (const wake of endpoint.#wakers.splice(0)) wake();
          respond(call);
        });
      }),
    );
    await new Promise<void>((resolve) => {
      if (socketPath === undefined) endpoint.#server.listen(0, '127.0.0.1', resolve);
      else endpoint.#server.listen(socketPath, resolve);
    });
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Settles with the call that makes the condition true; it is looked at after each call. */
  async received(condition: (call: Call) => boolean): Promise<Call> {
    for (;;) {
      const found = this.calls.find(condition);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function makeCall(
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  body: string,
  response: ServerResponse,
): Call {
  const message = body === '' ? {} : (JSON.parse(body) as Call['message']);
  const call: Call = {
    method,
    path,
    headers,
    message,
    response,
    closed: new Promise((resolve) => response.once('close', resolve)),
    json: (value, extra = {}) =>
      response.writeHead(200, { 'Content-Type': 'application/json', ...extra }).end(JSON.stringify(value)),
    result: (result, extra) => call.json({ jsonrpc: '2.0', id: message.id, result }, extra),
    status: (status, text = '', extra = {}) => response.writeHead(status, extra).end(text),
    events: (text, extra = {}) => {
      if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream', ...extra });
      response.write(text);
    },
  };
  return call;
}
