import { isObject } from '@hawser/unknown-values/objects';
import { differences, type Line, type Session, type Side } from '../packages/client/src/transcript.ts';

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
