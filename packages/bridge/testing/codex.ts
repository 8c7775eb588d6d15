import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Json } from '../../mcp/testing/json.ts';

/** Speaks as Codex does on its socket: a length of four bytes, then JSON. */
export class CodexClient {
  readonly socket: Socket;
  /** Every message, in order. */
  readonly received: Json[] = [];
  readonly closed: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #bytes = Buffer.alloc(0);
  #requests = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close');
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async connect(path: string): Promise<CodexClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    return new CodexClient(socket);
  }

  send(message: object): void {
    this.socket.write(frameOf(JSON.stringify(message)));
  }

  /** What Codex asks with each prompt. */
  ideContext(workspaceRoot: string): Promise<Json> {
    return this.request('ide-context', { workspaceRoot });
  }

  async request(method: string, params: object, more: object = {}): Promise<Json> {
    this.#requests += 1;
    const requestId = `request-${this.#requests}`;
    this.send({ type: 'request', requestId, sourceClientId: 'codex-tui', version: 0, method, params, ...more });
    return await this.next((message) => message.requestId === requestId);
  }

  /** The first message that fits, now or later. Rejects if the connection ends before. */
  async next(fits: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      const more = new Promise<void>((resolve) => this.#waiting.add(resolve));
      await Promise.race([more, this.closed.then(() => Promise.reject(new Error('closed')))]);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readUInt32LE(0)) {
      const end = 4 + this.#bytes.readUInt32LE(0);
      this.received.push(JSON.parse(this.#bytes.toString('utf8', 4, end)));
      this.#bytes = this.#bytes.subarray(end);
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export function frameOf(text: string): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(Buffer.byteLength(text), 0);
  return Buffer.concat([header, Buffer.from(text)]);
}
