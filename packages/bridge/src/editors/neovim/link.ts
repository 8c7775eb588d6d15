import { NeovimClient } from 'neovim/lib/api/client.js';
import { steady } from './steady-stream.ts';

export interface LinkOptions {
  readonly reader: NodeJS.ReadableStream;
  readonly writer: NodeJS.WritableStream;
  /** What Neovim tells by `rpcnotify`, in order. */
  readonly onEvent: (event: string, args: readonly unknown[]) => void;
  /** Neovim has gone. Called once. */
  readonly onEnd: () => void;
  readonly onProblem: (problem: Error) => void;
}

export interface CallOptions {
  /** Ends the wait; without one, the wait ends after `timeoutMs`. */
  readonly signal?: AbortSignal;
  /** How long to wait for the answer, and for Neovim to be able to give one. Default 10 000. */
  readonly timeoutMs?: number;
}

/** Looked again after this time whether a prompt has been answered. */
const LOOK_AGAIN_MS = 50;

/**
 * The conversation with Neovim. A request needs its main loop, which stands still at a prompt; so it is sent only when
 * Neovim says it is free, and requests wait for that in the order in which they were made.
 */
export class NeovimLink {
  readonly #client: NeovimClient;
  readonly #ended = new AbortController();
  readonly #onEnd: () => void;
  #free: Promise<void> | undefined;

  constructor({ reader, writer, onEvent, onEnd, onProblem }: LinkOptions) {
    this.#onEnd = onEnd;
    // With a logger of its own the client leaves the console alone.
    this.#client = new NeovimClient({ logger: silent });
    this.#client.on('notification', (method: string, [event, ...args]: unknown[]) => {
      if (method === 'hawser' && typeof event === 'string') onEvent(event, args);
    });
    this.#client.on('request', (method: string, _args: unknown, answer: { send(value: string, isError: true): void }) =>
      answer.send(`Unknown request: ${method}`, true),
    );
    const gone = (cause?: Error) => this.#end(new Error('Neovim has gone', { cause }));
    this.#client.on('disconnect', () => gone());
    // A pipe that breaks says so on both sides.
    reader.on('error', gone);
    writer.on('error', (error: Error) => {
      onProblem(error);
      gone(error);
    });
    this.#client.attach({ reader: steady(reader), writer });
  }

  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  channel(): Promise<number> {
    return this.orEnd(this.#client.channelId);
  }

  /** Calls a function of `hawser.requests`. Rejects with what it says went wrong. */
  async call(
    name: string,
    args: readonly unknown[],
    { signal, timeoutMs = 10_000 }: CallOptions = {},
  ): Promise<unknown> {
    const patience = signal ?? AbortSignal.timeout(timeoutMs);
    await this.#orAborted(this.#whenFree(), patience);
    const deadline = signal === undefined ? Date.now() + timeoutMs : 0;
    const sent = this.#client.request('nvim_exec_lua', [CALL, [name, deadline, ...args]]);
    const answer = (await this.#orAborted(sent, patience)) as { value?: unknown; problem?: string };
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer.value ?? undefined;
  }

  /** Rejects when Neovim goes first. */
  orEnd<Result>(work: Promise<Result>): Promise<Result> {
    return unlessAborted(work, this.#ended.signal);
  }

  close(): void {
    this.#end(new Error('The editor was closed'));
  }

  #end(reason: Error): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(reason);
    this.#onEnd();
  }

  #whenFree(): Promise<void> {
    this.#free ??= this.#lookUntilFree().finally(() => {
      this.#free = undefined;
    });
    return this.#free;
  }

  async #lookUntilFree(): Promise<void> {
    while (!this.hasEnded) {
      const { blocking } = (await this.orEnd(this.#client.request('nvim_get_mode'))) as { blocking: boolean };
      if (!blocking) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    throw this.#ended.signal.reason;
  }

  async #orAborted<Result>(work: Promise<Result>, patience: AbortSignal): Promise<Result> {
    try {
      return await unlessAborted(this.orEnd(work), patience);
    } catch (error) {
      if (error !== patience.reason || (error as Error).name !== 'TimeoutError') throw asError(error);
      throw new Error('Neovim is busy or waits for an answer to a prompt; try again when it has been given');
    }
  }
}

const CALL = "return require('hawser.requests').call(...)";

const nothing = (): never => undefined as never;
const silent = { info: nothing, warn: nothing, error: nothing, debug: nothing, level: 'error' };

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function asError(error: unknown): unknown {
  // Neovim's own errors come as `[kind, message]`.
  if (Array.isArray(error)) return new Error(String(error[1]));
  return error;
}
