import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** One HTTP request as it arrived on a socket. */
export interface RawRequest {
  readonly method: string;
  readonly body: string;
  /** The body as a JSON-RPC message; empty when there is none. */
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: { readonly [name: string]: unknown };
  };
  readonly socket: Socket;
}

/** An HTTP endpoint that responds with any bytes: a TCP server that reads requests and calls back with each. */
export class RawEndpoint {
  readonly requests: RawRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #wakers: (() => void)[] = [];

  private constructor(respond: (request: RawRequest) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      let text = '';
      socket.setEncoding('latin1').on('data', (part) => {
        text += part;
        for (let request = take(); request !== undefined; request = take()) {
          this.requests.push(request);
          for (const wake of this.#wakers.splice(0)) wake();
          respond(request);
        }
      });
      const take = (): RawRequest | undefined => {
        const head = text.indexOf('\r\n\r\n');
        if (head === -1) return undefined;
        const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
        if (text.length < head + 4 + length) return undefined;
        const body = Buffer.from(text.slice(head + 4, head + 4 + length), 'latin1').toString();
        const method = text.slice(0, text.indexOf(' '));
        text = text.slice(head + 4 + length);
        return { method, body, message: body === '' ? {} : JSON.parse(body), socket };
      };
    });
  }

  static async open(response: (request: RawRequest) => void): Promise<RawEndpoint> {
    const endpoint = new RawEndpoint(response);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Settles when the condition holds; it is checked after each request. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A response with a JSON body, as a whole. */
export function jsonResponse(value: unknown, headers = ''): string {
  const body = JSON.stringify(value);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

export function emptyResponse(status: number): string {
  return `HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`;
}
