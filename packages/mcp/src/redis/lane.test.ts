import { expect, it } from 'vitest';
import { Command } from './command.ts';
import { Lane } from './lane.ts';

/** A lane to a server that loses the commands with the given texts once, and does all others. */
function lane(...lost: string[]) {
  const done: string[] = [];
  const sent: string[] = [];
  const to: Lane = new Lane('key', {
    send: async (_key, args) => {
      const [text = ''] = args;
      sent.push(text);
      await Promise.resolve();
      if (lost.includes(text)) {
        lost.splice(lost.indexOf(text), 1);
        throw new Error('Socket closed unexpectedly');
      }
      done.push(text);
      return text;
    },
    settled: (command) => to.remove(command),
    recovered: () => {},
  });
  const add = (text: string, number?: number) => {
    const command = new Command({
      key: 'key',
      args: [text],
      number: number === undefined ? undefined : { value: number, index: 1 },
      deadline: Number.POSITIVE_INFINITY,
    });
    to.add(command);
    return command.outcome;
  };
  return { add, sent, done };
}

it('a command without a number takes effect after those before it and before those after it', async () => {
  const { add, done } = lane('write 1', 'write 2');
  await Promise.all([add('write 1'), add('write 2'), add('read'), add('event 1', 1), add('write 3')]);
  expect(done).toEqual(['write 1', 'write 2', 'read', 'event 1', 'write 3']);
});

it('numbered commands do not wait for each other', async () => {
  const { add, sent } = lane();
  const outcomes = [add('event 1', 1), add('event 2', 2), add('read'), add('event 3', 3), add('event 4', 4)];
  expect(sent).toEqual(['event 1', 'event 2']);
  expect(await Promise.all(outcomes)).toEqual(['event 1', 'event 2', 'read', 'event 3', 'event 4']);
});
