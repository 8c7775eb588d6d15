import { MsgpackRpc } from './msgpack-rpc.ts';

export interface LinkOptions {
  readonly reader: NodeJS.ReadableStream;
  readonly writer: NodeJS.WritableStream;
  /** Receives what Neovim sends by `rpcnotify`, in order. */
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

/** How often to check whether a prompt has been answered. */
const LOOK_AGAIN_MS = 50;

/**
 * The conversation with Neovim. A request needs its main loop, which stands still at a prompt; so it is sent only when
 * Neovim says it is free, and requests wait for that in the order in which they were made.
 */
export class NeovimLink {
  readonly #rpc: MsgpackRpc;
  readonly #ended = new AbortController();
  readonly #onEnd: () => void;
  #free: Promise<void> | undefined;

  constructor({ reader, writer, onEvent, onEnd, onProblem }: LinkOptions) {
    this.#onEnd = onEnd;
    this.#rpc = new MsgpackRpc({
      reader,
      writer,
      onNotification: (method, [event, ...args]) => {
        if (method === 'hawser' && typeof event === 'string') onEvent(event, args);
      },
      onEnd: (cause) => {
        if (cause !== undefined) onProblem(cause);
        this.#end(new Error('Neovim has gone', { cause }));
      },
    });
  }

  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** The number of this channel in Neovim. Waits until a prompt is answered. */
  async channel(): Promise<number> {
    // Not a UUID: the global `crypto` takes a megabyte and a moment to load.
    const mark = { hawser: `${process.pid}-${Math.random()}` };
    await this.#whenFree();
    await this.#request('nvim_set_client_info', ['hawser', {}, 'remote', {}, mark]);
    const channels = (await this.#request('nvim_list_chans', [])) as readonly ChannelInfo[];
    const own = channels.find(({ client }) => client?.attributes?.hawser === mark.hawser);
    if (own === undefined) throw new Error('Neovim does not know our channel');
    return own.id;
  }

  /** Calls a function of `hawser.requests`. Rejects with the problem that it reports. */
  async call(
    name: string,
    args: readonly unknown[],
    { signal, timeoutMs = 10_000 }: CallOptions = {},
  ): Promise<unknown> {
    const patience = signal ?? AbortSignal.timeout(timeoutMs);
    await this.#orAborted(this.#whenFree(), patience);
    const deadline = signal === undefined ? Date.now() + timeoutMs : 0;
    const sent = this.#rpc.request('nvim_exec_lua', [CALL, [name, deadline, ...args]]);
    const answer = (await this.#orAborted(sent, patience)) as { value?: unknown; problem?: string };
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer.value ?? undefined;
  }

  /** Rejects if Neovim exits first. */
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
      const { blocking } = (await this.#request('nvim_get_mode', [])) as { blocking: boolean };
      if (!blocking) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    throw this.#ended.signal.reason;
  }

  #request(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.orEnd(this.#rpc.request(method, params));
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

interface ChannelInfo {
  readonly id: number;
  readonly client?: { readonly attributes?: { readonly hawser?: unknown } };
}

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
