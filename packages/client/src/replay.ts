import type { Connection, Message } from '@hawser/mcp';
import { type Members, parseObject } from '@hawser/unknown-values/objects';
import { differences, type Line, type Session } from './transcript.ts';

export interface ReplayOptions {
  /** Milliseconds to wait for each message of the server; 0 is no limit. */
  readonly timeout: number;
  /** Paths of members that may differ, with all below them: `result.serverInfo.version`. */
  readonly ignore: readonly string[];
  readonly signal: AbortSignal;
}

export interface Difference {
  /** The line of the transcript; undefined for a message that is not in it. */
  readonly line: number | undefined;
  readonly message: string;
}

type MessageLine = Extract<Line, { readonly kind: 'message' }>;

/** Why a session can't be replayed; undefined if it can. */
export function obstacleIn({ lines }: Session): string | undefined {
  const cue = lines.find((line) => line.kind === 'cue');
  if (cue?.kind === 'cue') return `line ${cue.number} waits for something outside of the conversation: ${cue.name}`;
  const bad = lines.find((line) => line.kind === 'message' && parseObject(line.text) === undefined);
  return bad === undefined ? undefined : `line ${bad.number} is not a JSON object, which this connection can't carry`;
}

/**
 * Plays the client of a recorded session against a server and returns what the server says otherwise. The server's
 * messages between two of the client may come in any order. Ids of the server's own requests may differ. Stops when a
 * message is missing, because what follows depends on it.
 */
export async function replay(session: Session, connection: Connection, options: ReplayOptions): Promise<Difference[]> {
  const replayed = new Replay(connection, options);
  try {
    return await replayed.run(session.lines);
  } finally {
    await connection.close();
  }
}

class Replay {
  readonly #connection: Connection;
  readonly #options: ReplayOptions;
  readonly #found: Difference[] = [];
  /** Messages that no line has been compared with yet. */
  readonly #arrived: Members[] = [];
  /** Actual ids of the server's requests, by those in the transcript. */
  readonly #serverIds = new Map<unknown, unknown>();
  #closed: Error | undefined;
  #changed = () => {};

  constructor(connection: Connection, options: ReplayOptions) {
    this.#connection = connection;
    this.#options = options;
    const add = (message: unknown) => {
      this.#arrived.push(message as Members);
      this.#changed();
    };
    connection.start({
      message: add,
      malformed: ({ error }) => add({ malformed: error.message }),
      batch: (items) => items.forEach(add),
      // An answer that HTTP could not deliver.
      refused: (id, reason) => add({ id, refused: reason.message }),
      ended: () => {},
      closed: (reason) => {
        this.#closed = reason;
        this.#changed();
      },
    });
  }

  async run(lines: readonly Line[]): Promise<Difference[]> {
    let expected: MessageLine[] = [];
    for (const line of lines) {
      if (line.kind === 'message' && line.from === 'server') {
        expected.push(line);
        continue;
      }
      if (!(await this.#await(expected))) return this.#found;
      expected = [];
      if (line.kind === 'message') this.#send(line);
      else if (line.kind === 'close' && !(await this.#wait(() => this.#closed !== undefined))) {
        this.#add(line.number, 'the server should end the connection, and does not');
      }
    }
    if (await this.#await(expected)) {
      for (const message of this.#arrived) this.#add(undefined, `not in the transcript: ${JSON.stringify(message)}`);
    }
    return this.#found;
  }

  #send({ text }: MessageLine): void {
    const message = parseObject(text) ?? {};
    const isAnswer = message.method === undefined && 'id' in message;
    const id = isAnswer ? (this.#serverIds.get(message.id) ?? message.id) : message.id;
    this.#connection.send((id === message.id ? message : { ...message, id }) as unknown as Message);
  }

  /** Compares each line with the message that corresponds to it. Resolves to whether there was one for each. */
  async #await(lines: readonly MessageLine[]): Promise<boolean> {
    for (const { number, text } of lines) {
      const expected = parseObject(text) ?? {};
      const index = () => this.#arrived.findIndex((message) => corresponds(expected, message));
      const isThere = await this.#wait(() => index() >= 0 || this.#closed !== undefined);
      const [actual] = index() >= 0 ? this.#arrived.splice(index(), 1) : [];
      if (actual === undefined) {
        const why = isThere && this.#closed !== undefined ? `the connection ended: ${this.#closed.message}` : 'timeout';
        this.#add(number, `missing (${why}): ${text}`);
        return false;
      }
      this.#compare(number, expected, actual);
    }
    return true;
  }

  #compare(line: number, expected: Members, actual: Members): void {
    const isRequest = expected.method !== undefined && 'id' in expected;
    if (isRequest) this.#serverIds.set(expected.id, actual.id);
    const found = differences(isRequest ? { ...expected, id: actual.id } : expected, actual);
    for (const message of found) if (!this.#isIgnored(message)) this.#add(line, message);
  }

  /** A difference begins with its path. */
  #isIgnored(difference: string): boolean {
    return this.#options.ignore.some(
      (path) => difference.startsWith(path) && /^[\s.[]/.test(difference.slice(path.length)),
    );
  }

  #add(line: number | undefined, message: string): void {
    this.#found.push({ line, message });
  }

  /** Resolves to false at the timeout. Rejects when the signal aborts. */
  async #wait(isDone: () => boolean): Promise<boolean> {
    const { timeout, signal } = this.#options;
    signal.throwIfAborted();
    if (isDone()) return true;
    return await new Promise<boolean>((resolve, reject) => {
      const timer = timeout === 0 ? undefined : setTimeout(() => settle(() => resolve(false)), timeout);
      const aborted = () => settle(() => reject(signal.reason));
      const settle = (how: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.#changed = () => {};
        how();
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#changed = () => {
        if (isDone()) settle(() => resolve(true));
      };
    });
  }
}

/** Answers by their id, everything else by its method. */
function corresponds(expected: Members, actual: Members): boolean {
  if (expected.method !== undefined) return expected.method === actual.method;
  return actual.method === undefined && expected.id === actual.id;
}
