import type { Connection, Message, RequestId } from '@hawser/mcp';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';

/** Messages as the user wrote them, past the session. */
export class RawMessages {
  readonly #environment: ClientEnvironment;
  #connection: Connection | undefined;
  #waiting: { readonly id: RequestId; readonly done: () => void } | undefined;

  constructor(environment: ClientEnvironment) {
    this.#environment = environment;
  }

  use(connection: Connection): void {
    this.#connection = connection;
  }

  /** Resolves when a request is answered; anything else, at once. Rejects when the signal aborts. */
  async send(text: string, signal: AbortSignal): Promise<void> {
    const message = JSON.parse(text) as Message & { readonly id?: RequestId };
    if (typeof message !== 'object' || message === null) throw new Error('A message is a JSON object.');
    const { id, method } = message as { id?: RequestId; method?: unknown };
    this.#connection?.send(message);
    if (id === undefined || method === undefined) return;
    await new Promise<void>((done, failed) => {
      this.#waiting = { id, done };
      signal.addEventListener('abort', () => failed(new Error('No answer was awaited any longer.')), { once: true });
    });
  }

  received(message: object): void {
    const { id } = message as { readonly id?: RequestId };
    if (this.#waiting === undefined || id !== this.#waiting.id) return;
    this.#environment.stdout(escaped(JSON.stringify(message)));
    this.#waiting.done();
    this.#waiting = undefined;
  }
}
