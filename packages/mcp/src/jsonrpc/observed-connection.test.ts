import { describe, expect, it } from 'vitest';
import { memoryPair } from '../transports/memory/pair.ts';
import type { Outgoing, Receiver } from './connection.ts';
import type { Malformed, Message } from './message.ts';
import { type MessageObserver, ObservedConnection } from './observed-connection.ts';

/** What a connection delivers, without a connection. */
function observed(observer: MessageObserver) {
  const failures: unknown[] = [];
  const delivered: string[] = [];
  let receiver: Receiver | undefined;
  const connection = new ObservedConnection(
    {
      start: (given) => {
        receiver = given;
      },
      send: () => {},
      drained: async () => {},
      close: async () => {},
    },
    (error) => failures.push(error),
  );
  connection.observe(observer);
  const note = (what: string) => () => void delivered.push(what);
  connection.start({
    message: note('message'),
    malformed: note('malformed'),
    batch: note('batch'),
    refused: note('refused'),
    ended: note('ended'),
    closed: note('closed'),
  });
  if (receiver === undefined) throw new Error('The connection was not started');
  return { connection, receiver, delivered, failures };
}

const MESSAGE: Message = { jsonrpc: '2.0', method: 'x' };
const MALFORMED: Malformed = { error: { code: -32700, message: 'Parse error' }, id: undefined };

describe('an observed connection', () => {
  it('shows messages and what is not a message, also of a batch, and delivers both', () => {
    const seen: unknown[] = [];
    const { connection, receiver, delivered } = observed({
      received: (message) => seen.push(message),
      sent: (message: Outgoing) => seen.push({ sent: message }),
      malformed: ({ error }) => seen.push(error.message),
    });
    receiver.message(MESSAGE);
    receiver.malformed(MALFORMED);
    receiver.batch([MALFORMED, MESSAGE]);
    connection.send(MESSAGE);
    expect(seen).toEqual([MESSAGE, 'Parse error', 'Parse error', MESSAGE, { sent: MESSAGE }]);
    expect(delivered).toEqual(['message', 'malformed', 'batch']);
  });

  it('needs no observer of malformed texts, and reports what an observer throws', () => {
    const { receiver, delivered, failures } = observed({
      received: () => {
        throw new Error('bad observer');
      },
      sent: () => {},
    });
    receiver.malformed(MALFORMED);
    receiver.message(MESSAGE);
    expect(failures).toEqual([new Error('bad observer')]);
    expect(delivered).toEqual(['malformed', 'message']);
  });

  it('works on a real connection', async () => {
    const [ours, theirs] = memoryPair();
    const seen: Message[] = [];
    const connection = new ObservedConnection(ours, () => {});
    connection.observe({ received: (message) => seen.push(message), sent: () => {} });
    const received = new Promise<void>((resolve) => {
      const ignore = () => {};
      connection.start({
        message: () => resolve(),
        malformed: ignore,
        batch: ignore,
        refused: ignore,
        ended: ignore,
        closed: ignore,
      });
    });
    theirs.send(MESSAGE);
    await received;
    expect(seen).toEqual([MESSAGE]);
    await connection.close();
  });
});
