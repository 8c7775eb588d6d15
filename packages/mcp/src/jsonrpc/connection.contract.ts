import { afterEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../testing/recorder.ts';
import type { Connection } from './connection.ts';
import { ConnectionClosed, NotSerializable } from './errors.ts';
import type { ConnectionLimits } from './limits.ts';
import type { Message, Request } from './message.ts';

export interface Joined {
  readonly left: Connection;
  readonly right: Connection;
  /** Puts a text on the wire towards `right` as it is; absent when there is no wire. */
  readonly writeToRight?: (text: string) => void;
  /** Keeps everything that `left` sends from being read from now on; absent where reading cannot be held up. */
  readonly stallRight?: () => void;
  readonly dispose: () => Promise<void>;
}

export interface ContractNotes {
  /** Why this transport does not write JSON, if it does not. */
  readonly noJson?: string;
}

const note = (n: number): Message => ({ jsonrpc: '2.0', method: 'note', params: { n } });
const paramsOf = (message: Message | undefined) => (message as Request).params as { n: number; text: string };
const numberOf = (message: Message) => paramsOf(message).n;

/** What every connection must do. */
export function describeConnection(
  name: string,
  join: (limits: ConnectionLimits) => Promise<Joined>,
  { noJson }: ContractNotes = {},
): void {
  describe(`${name} keeps the contract of a connection`, () => {
    let joined: Joined | undefined;

    afterEach(async () => {
      await joined?.dispose();
      joined = undefined;
    });

    const open = async (limits: ConnectionLimits = {}) => {
      joined = await join(limits);
      const [atLeft, atRight] = [new Recorder(), new Recorder()];
      const { left, right } = joined;
      return { ...joined, left, right, atLeft, atRight };
    };

    it('messages arrive in order in both directions', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      for (let n = 0; n < 2000; n += 1) {
        left.send(note(n));
        right.send(note(5000 + n));
      }
      await atRight.until(({ messages }) => messages.length === 2000);
      await atLeft.until(({ messages }) => messages.length === 2000);
      expect(atRight.messages.map(numberOf)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
      expect(atLeft.messages.map(numberOf)).toEqual(Array.from({ length: 2000 }, (_, n) => 5000 + n));
    });

    it('every kind of message arrives as it was sent', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      const sent: Message[] = [
        { jsonrpc: '2.0', id: 0, method: 'ask' },
        { jsonrpc: '2.0', id: 'a "quoted" id', method: 'ask', params: [1, 'two', { three: null }] },
        { jsonrpc: '2.0', method: 'tell', params: { text: 'line\nbreak\u2028 é 😀 \ud800 \u0000' } },
        { jsonrpc: '2.0', id: 0, result: null },
        { jsonrpc: '2.0', id: 'x', result: { deep: [[[]]] } },
        { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no', data: [1] } },
        { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } },
      ];
      for (const message of sent) left.send(message);
      await atRight.until(({ messages }) => messages.length === sent.length);
      expect(atRight.messages).toEqual(sent);
    });

    it('what arrives before the start is kept', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      left.send(note(1));
      left.send(note(2));
      await left.drained();
      right.start(atRight);
      await atRight.until(({ messages }) => messages.length === 2);
      expect(atRight.messages.map(numberOf)).toEqual([1, 2]);
    });

    it('a message of several megabytes arrives whole', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      const text = 'ä😀x'.repeat(700_000);
      left.send({ jsonrpc: '2.0', method: 'tell', params: { text } });
      left.send(note(1));
      await atRight.until(({ messages }) => messages.length === 2);
      expect(paramsOf(atRight.messages[0]).text === text).toBe(true);
    });

    it('an array of responses arrives as a batch', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      const responses = [1, 2].map((id) => ({ jsonrpc: '2.0' as const, id, result: {} }));
      left.send(responses);
      await atRight.until(({ batches }) => batches.length === 1);
      expect(atRight.batches[0]).toEqual(responses);
    });

    it('what was sent before the close arrives before the end', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      for (let n = 0; n < 500; n += 1) left.send(note(n));
      await left.close('done here');
      await atRight.until(({ closings, endings }) => closings.length + endings > 0);
      expect(atRight.messages).toHaveLength(500);
    });

    it('closing twice is safe, `closed` is called once on each side, and sending afterwards does nothing', async () => {
      const { left, right, atLeft, atRight } = await open();
      left.start(atLeft);
      right.start(atRight);
      await Promise.all([left.close('done here'), left.close('again')]);
      await right.close();
      await left.close();
      await atLeft.until(({ closings }) => closings.length > 0);
      await atRight.until(({ closings }) => closings.length > 0);
      left.send(note(1));
      right.send(note(2));
      await left.drained();
      await right.drained();
      expect(atLeft.closings).toHaveLength(1);
      expect(atRight.closings).toHaveLength(1);
      expect(atLeft.closings[0]).toBeInstanceOf(ConnectionClosed);
      expect(atLeft.closings[0]?.message).toContain('done here');
      expect([...atLeft.messages, ...atRight.messages]).toEqual([]);
    });

    it.skipIf(noJson !== undefined)(
      `a value that is no JSON is refused at once and nothing is sent${noJson ? ` (skipped: ${noJson})` : ''}`,
      async () => {
        const { left, right, atLeft, atRight } = await open();
        left.start(atLeft);
        right.start(atRight);
        const circular: { self?: unknown } = {};
        circular.self = circular;
        for (const result of [circular, 10n, () => 1, Symbol('s'), undefined]) {
          expect(() => left.send({ jsonrpc: '2.0', id: 1, result })).toThrow(NotSerializable);
        }
        left.send(note(1));
        await atRight.until(({ messages }) => messages.length > 0);
        expect(atRight.messages).toEqual([note(1)]);
      },
    );

    it('texts that are no messages are reported and the connection lives on', async (context) => {
      const { left, right, atLeft, atRight, writeToRight } = await open();
      if (writeToRight === undefined) return context.skip('there is no wire to write a bad text on');
      left.start(atLeft);
      right.start(atRight);
      writeToRight('{"half": ');
      writeToRight('42');
      writeToRight('{"jsonrpc":"2.0","id":7,"method":5}');
      left.send(note(1));
      await atRight.until(({ messages }) => messages.length > 0);
      expect(atRight.malformations.map(({ error, id }) => [error.code, id])).toEqual([
        [-32700, undefined],
        [-32600, undefined],
        [-32600, 7],
      ]);
    });

    it('a message over the size limit is reported with its id and the connection lives on', async (context) => {
      const { left, right, atLeft, atRight, writeToRight } = await open({ maxMessageBytes: 2000 });
      if (writeToRight === undefined) return context.skip('nothing is measured where objects are handed over');
      left.start(atLeft);
      right.start(atRight);
      const text = 'x'.repeat(5000);
      writeToRight(JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'ask', params: { text, id: 9 } }));
      writeToRight(JSON.stringify({ method: 'ask', params: { text, id: 9 }, jsonrpc: '2.0', id: 0 }));
      writeToRight(JSON.stringify({ jsonrpc: '2.0', method: 'tell', params: { text, id: 9 } }));
      writeToRight(JSON.stringify({ result: { text }, jsonrpc: '2.0', id: 3 }));
      left.send(note(1));
      await atRight.until(({ messages }) => messages.some(({ method }) => method === 'note'));
      expect(atRight.malformations.map(({ id }) => id)).toEqual(['first', 0, undefined]);
      for (const { error } of atRight.malformations) {
        expect(error).toEqual({ code: -32600, message: 'Message is larger than the limit of 2000 bytes' });
      }
      expect(atRight.refusals).toMatchObject([{ id: 3, reason: { name: 'LimitExceeded' } }]);
    });

    it('a message with too many or too deep values is reported with its id and the connection lives on', async (context) => {
      const { left, right, atLeft, atRight, writeToRight } = await open({ maxValues: 20, maxDepth: 8 });
      if (writeToRight === undefined) return context.skip('objects are passed on without a text to check');
      left.start(atLeft);
      right.start(atRight);
      writeToRight(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ask', params: Array(30).fill(1) }));
      writeToRight(`{"jsonrpc":"2.0","id":2,"method":"ask","params":${'['.repeat(9)}${']'.repeat(9)}}`);
      left.send(note(1));
      await atRight.until(({ messages }) => messages.length > 0);
      expect(atRight.malformations.map(({ error, id }) => [id, error.code, error.message])).toEqual([
        [1, -32600, 'Message holds more than the limit of 20 values'],
        [2, -32600, 'Message is nested deeper than the limit of 8 levels'],
      ]);
    });

    it('a reader that does not keep up has its connection closed with a clear reason', async (context) => {
      const { left, right, atLeft, atRight, stallRight } = await open({ maxQueuedBytes: 100_000 });
      if (stallRight === undefined) return context.skip('reading cannot be held up');
      left.start(atLeft);
      right.start(atRight);
      stallRight();
      const message = { jsonrpc: '2.0' as const, method: 'flood', params: { text: 'x'.repeat(50_000) } };
      for (let n = 0; n < 1000 && atLeft.closings.length === 0; n += 1) {
        left.send(message);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await atLeft.until(({ closings }) => closings.length > 0);
      expect(atLeft.closings[0]?.message).toContain('The reader is too slow: more than 100000 bytes are waiting');
    });
  });
}
