import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client of Swank or Slynk as SLIME and Sly are: packets with a length of six hexadecimal digits. */
export class SwankClient {
  readonly #socket: Socket;
  readonly #package: string;
  #received = '';
  #lastId = 0;

  private constructor(socket: Socket, packageName: string) {
    this.#socket = socket;
    this.#package = packageName;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      this.#received += text;
    });
    socket.on('error', () => {});
  }

  static async connect(port: number, secret?: string, packageName = 'swank'): Promise<SwankClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new SwankClient(socket, packageName);
    if (secret !== undefined) client.#send(secret);
    return client;
  }

  /** Evaluates code and resolves with the packet that has its value; rejects when the server hangs up. */
  evaluate(code: string): Promise<string> {
    return this.call(`interactive-eval "${code.replace(/["\\]/g, '\\$&')}"`);
  }

  /** Calls a function of the server, in a new thread or in one that is in the debugger. */
  async call(form: string, thread = 't'): Promise<string> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#send(`(:emacs-rex (${this.#package}:${form}) "COMMON-LISP-USER" ${thread} ${id})`);
    const [found] = await this.received(new RegExp(`\\(:return \\(:\\w+.*? ${id}\\)`, 's'));
    return found;
  }

  /** Resolves when the server has sent it. */
  async received(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#received);
      if (found !== null) return found;
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
