/**
 * A transcript is one or more sessions, one message a line:
 *
 *     == what this session shows        begins a session, on a connection of its own
 *     # a comment
 *     → {"jsonrpc":"2.0", …}            client to server
 *     ← {"jsonrpc":"2.0", …}            server to client
 *     ! the user accepts the diff       something happens on the side that is tested; the test says how
 *     × closed                          the side that is tested ends the connection
 */
export interface Session {
  readonly title: string;
  readonly lines: readonly Line[];
}

export type Line =
  | { readonly kind: 'message'; readonly from: Side; readonly text: string; readonly number: number }
  | { readonly kind: 'cue'; readonly name: string; readonly number: number }
  | { readonly kind: 'close'; readonly number: number };

export type Side = 'client' | 'server';

/** The player's end of a connection to the side that is tested. */
export interface Wire {
  /** Writes a text as it is, valid or not. */
  send(text: string): void;
  /** The next message that arrived, parsed. Rejects when the connection ends before. */
  receive(): Promise<unknown>;
  /** Ends the connection and returns the messages that were not received. */
  close(): Promise<readonly unknown[]>;
}

export type Cues = { readonly [name: string]: () => unknown };

export function parseTranscript(text: string): Session[] {
  const sessions: { title: string; lines: Line[] }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1;
    const [, sign, rest] = /^(==|#|→|←|!|×)(?:\s+(.*))?$/.exec(line.trim()) ?? [];
    if (sign === '==' && rest) {
      sessions.push({ title: rest, lines: [] });
    } else if (sign === '#' || line.trim() === '') {
    } else {
      const lines = sessions.at(-1)?.lines;
      if (lines === undefined) throw new Error(`line ${number}: a session begins with == and a title`);
      lines.push(parseLine(sign, rest, number));
    }
  }
  return sessions;
}

/** Plays one side of a session and throws when the other side, which is tested, does not keep to its own. */
export async function play(session: Session, side: Side, wire: Wire, cues: Cues = {}): Promise<void> {
  let unread: readonly unknown[] = [];
  try {
    for (const line of session.lines) await playLine(line, side, wire, cues);
    if (session.lines.at(-1)?.kind !== 'close') await findNothingMore(wire);
  } finally {
    unread = await wire.close();
  }
  if (unread.length > 0) throw new Error(`not in the transcript: ${JSON.stringify(unread[0])}`);
}

/** Each member that differs, named by its path. The order of members does not matter; nothing else is forgiven. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      memberDifferences(expected, actual, String(index), `${path}[${index}]`),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) =>
      memberDifferences(expected, actual, name, path === '' ? name : `${path}.${name}`),
    );
  }
  if (Object.is(expected, actual)) return [];
  return [`${path || 'message'} should be ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`];
}

function parseLine(sign: string | undefined, rest: string | undefined, number: number): Line {
  if (sign === '!' && rest) return { kind: 'cue', name: rest, number };
  if (sign === '→' && rest) return { kind: 'message', from: 'client', text: rest, number };
  if (sign === '←' && rest) return { kind: 'message', from: 'server', text: rest, number };
  if (sign === '×') return { kind: 'close', number };
  throw new Error(`line ${number}: expected ==, #, →, ←, ! or × and a text after it`);
}

async function playLine(line: Line, side: Side, wire: Wire, cues: Cues): Promise<void> {
  if (line.kind === 'cue') {
    const cue = cues[line.name];
    if (cue === undefined) throw new Error(`line ${line.number}: the test has no cue "${line.name}"`);
    await cue();
    return;
  }
  if (line.kind === 'close') {
    const arrival = await wire.receive().then(JSON.stringify, () => undefined);
    if (arrival !== undefined) throw new Error(`line ${line.number}: ${arrival} instead of the end of the connection`);
    return;
  }
  if (line.from === side) {
    wire.send(line.text);
    return;
  }
  const expected: unknown = JSON.parse(line.text);
  const actual = await wire.receive().catch((error: Error) => {
    throw new Error(`line ${line.number}: ${error.message} instead of ${line.text}`);
  });
  const found = differences(expected, actual);
  if (found.length > 0) throw new Error(`line ${line.number}: ${found.join('; ')}`);
}

const FENCE = 'end of transcript';

/** Both sides answer a ping in every state, after everything they have to say about the messages before it. */
async function findNothingMore(wire: Wire): Promise<void> {
  wire.send(JSON.stringify({ jsonrpc: '2.0', id: FENCE, method: 'ping' }));
  const last = await wire.receive();
  if (!isObject(last) || last.id !== FENCE) throw new Error(`not in the transcript: ${JSON.stringify(last)}`);
}

function memberDifferences(expected: object, actual: object, name: string, path: string): string[] {
  const value = (holder: object) => (holder as { readonly [name: string]: unknown })[name];
  if (!Object.hasOwn(actual, name)) return [`${path} is missing, should be ${JSON.stringify(value(expected))}`];
  if (!Object.hasOwn(expected, name)) return [`${path} should not be there, is ${JSON.stringify(value(actual))}`];
  return differences(value(expected), value(actual), path);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
