import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client of Swank as SLIME is one: packets with a length of six hexadecimal digits. */
export class SwankClient {
  readonly #socket: Socket;
  #received = '';
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      this.#received += text;
    });
    socket.on('error', () => {});
  }

  static async connect(port: number, secret?: string): Promise<SwankClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new SwankClient(socket);
    if (secret !== undefined) client.#send(secret);
    return client;
  }

  /** Evaluates code and resolves with the packet that has its value; rejects when the server hangs up. */
  async evaluate(code: string): Promise<string> {
    this.#lastId += 1;
    const quoted = `"${code.replace(/["\\]/g, '\\$&')}"`;
    this.#send(`(:emacs-rex (swank:interactive-eval ${quoted}) "COMMON-LISP-USER" t ${this.#lastId})`);
    for (;;) {
      const [found] = new RegExp(`\\(:return \\(:\\w+.*? ${this.#lastId}\\)`, 's').exec(this.#received) ?? [];
      if (found !== undefined) return found;
      await this.#nextData();
    }
  }

  /** Settles with more data; rejects when the connection ends, in whatever way. */
  #nextData(): Promise<void> {
    return new Promise((resolve, reject) => {
      const hungUp = () => reject(new Error('Swank has hung up'));
      if (this.#socket.destroyed) return hungUp();
      this.#socket.once('data', () => {
        this.#socket.off('close', hungUp);
        resolve();
      });
      this.#socket.once('close', hungUp);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(text: string): void {
    this.#socket.write(`${Buffer.byteLength(text).toString(16).padStart(6, '0')}${text}`);
  }
}
