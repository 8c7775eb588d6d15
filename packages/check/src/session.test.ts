import { expect, it } from 'vitest';
import { Session } from './session.ts';
import { Inbox } from './wires/inbox.ts';
import { received, textOf, type Wire } from './wires/wire.ts';

/** A server whose answers to the first two requests come together, the second one first. */
function reversingWire(): Wire {
  const inbox = new Inbox();
  const sent: Uint8Array[] = [];
  const answer = (text: Uint8Array | undefined) => {
    const { id } = JSON.parse(String(text)) as { id: string };
    inbox.put(received(JSON.stringify({ jsonrpc: '2.0', id, result: {} })));
  };
  return {
    send: (message) => {
      if (sent.push(Buffer.from(textOf(message))) === 2) for (const text of sent.toReversed()) answer(text);
    },
    next: (milliseconds) => inbox.take(milliseconds),
    flushed: async () => {},
    sent,
    close: async () => {},
  };
}

it('answers that come in another order than their requests are all found', async () => {
  const session = new Session(reversingWire(), { patience: 100, grace: 0 });
  const ids = ['first', 'second'];
  for (const id of ids) session.wire.send({ jsonrpc: '2.0', id, method: 'tools/list' });
  const answers: { readonly id?: unknown }[] = [];
  await session.addAnswersTo(ids, answers);
  expect(answers.map(({ id }) => id)).toEqual(['second', 'first']);
});
