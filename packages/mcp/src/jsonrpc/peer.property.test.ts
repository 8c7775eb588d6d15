import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../testing/fail-on-escapes.ts';
import { Recorder } from '../../testing/recorder.ts';
import { SILENT } from '../../testing/silent-handlers.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import { LineReader } from '../transports/stdio/line-reader.ts';
import { decode, encode } from './codec.ts';
import { DEFAULT_CONNECTION_LIMITS, withDefaults } from './limits.ts';
import type { Message, Request } from './message.ts';
import { Peer } from './peer.ts';

failOnEscapes();

type Step =
  | { readonly kind: 'ask'; readonly id: number; readonly behaviour: (typeof BEHAVIOURS)[number] }
  | { readonly kind: 'finish'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'tick' };

const BEHAVIOURS = ['return', 'throw', 'resolve', 'reject', 'wait', 'unserializable'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const), id: fc.nat(5), behaviour: fc.constantFrom(...BEHAVIOURS) }),
  fc.record({ kind: fc.constantFrom('finish' as const, 'cancel' as const), id: fc.nat(5) }),
  fc.constant({ kind: 'tick' as const }),
);

describe('whatever happens in whatever order', () => {
  it('each request has exactly one response, or none if it was cancelled, and a close sends the rest an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const [ours, theirs] = memoryPair({ copy: 'json' });
        const waiting = new Map<number, ((value: unknown) => void)[]>();
        const peer = new Peer(ours, { ...SILENT, respond: (request) => behave(request, waiting) });
        const wire = new Recorder();
        theirs.start(wire);
        peer.start();
        let asked = 0;
        let cancelled = 0;
        const open = new Set<number>();
        for (const next of steps) {
          if (next.kind === 'ask') {
            theirs.send({ jsonrpc: '2.0', id: next.id, method: next.behaviour });
            asked += 1;
            // Delivered before anything else happens, so that the model below knows what is open.
            await microtasks();
            if (next.behaviour === 'wait') open.add(next.id);
          } else if (next.kind === 'finish') {
            for (const resolve of waiting.get(next.id)?.splice(0) ?? []) resolve('finished');
            await microtasks();
            open.delete(next.id);
          } else if (next.kind === 'cancel') {
            peer.cancel(next.id, new Error('cancelled'));
            if (open.delete(next.id)) cancelled += 1;
          } else {
            await microtasks();
          }
        }
        await peer.close();
        await wire.until(({ closings }) => closings.length > 0);
        expect(wire.messages).toHaveLength(asked - cancelled);
      }),
      { numRuns: 300 },
    );
  });

  function behave({ id, method }: Request, waiting: Map<number, ((value: unknown) => void)[]>): unknown {
    switch (method as (typeof BEHAVIOURS)[number]) {
      case 'return':
        return 'returned';
      case 'throw':
        throw new Error('thrown');
      case 'resolve':
        return Promise.resolve('resolved');
      case 'reject':
        return Promise.reject(new Error('rejected'));
      case 'unserializable':
        return 1n;
      case 'wait':
        return new Promise((resolve) => {
          waiting.set(id as number, [...(waiting.get(id as number) ?? []), resolve]);
        });
    }
  }

  /** Long enough for a message to be delivered, a promise chain to settle and the response to come back. */
  async function microtasks(): Promise<void> {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  }
});

describe('decoding', () => {
  it('never throws, whatever the text, and reports each text at most once', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          envelope().map((v) => JSON.stringify(v)),
        ),
        (text) => {
          const recorder = new Recorder();
          decode(text, recorder);
          const { messages, malformations, batches } = recorder;
          expect(messages.length + malformations.length + batches.length).toBe(isBlank(text) ? 0 : 1);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('gives back every message that encoding wrote', () => {
    fc.assert(
      fc.property(message(), (original) => {
        const recorder = new Recorder();
        decode(encode(original), recorder);
        expect(recorder.messages).toEqual([JSON.parse(JSON.stringify(original))]);
      }),
    );
  });

  const isBlank = (text: string) => text.trim() === '';
});

describe('a line reader', () => {
  it('reads the same messages however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(message(), { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (sent, sizes) => {
          const bytes = Buffer.from(sent.map((each) => `${encode(each)}\n`).join(''));
          const recorder = new Recorder();
          const reader = new LineReader(
            recorder,
            withDefaults({ maxMessageBytes: 1_000_000 }, DEFAULT_CONNECTION_LIMITS),
          );
          for (let start = 0; start < bytes.length; ) {
            const size = sizes.next().value as number;
            reader.push(bytes.subarray(start, start + size));
            start += size;
          }
          reader.end();
          expect(recorder.messages).toEqual(JSON.parse(JSON.stringify(sent)));
        },
      ),
    );
  });

  it('never throws on arbitrary bytes and is ready for the next message', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
        const recorder = new Recorder();
        const reader = new LineReader(recorder, withDefaults({ maxMessageBytes: 100 }, DEFAULT_CONNECTION_LIMITS));
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        reader.push(Buffer.from('\n{"jsonrpc":"2.0","method":"last"}\n'));
        expect(recorder.messages.at(-1)).toEqual({ jsonrpc: '2.0', method: 'last' });
      }),
    );
  });
});

function message(): fc.Arbitrary<Message> {
  const jsonrpc = fc.constant('2.0' as const);
  const id = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger().map((n) => n + 0),
  );
  const params = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
    fc.array(fc.jsonValue()),
  );
  return fc.oneof(
    fc.record({ jsonrpc, id, method: fc.string(), params }, { requiredKeys: ['jsonrpc', 'id', 'method'] }),
    fc.record({ jsonrpc, method: fc.string(), params }, { requiredKeys: ['jsonrpc', 'method'] }),
    fc.record({ jsonrpc, id, result: fc.jsonValue() }),
    fc.record({ jsonrpc, id, error: fc.record({ code: fc.integer(), message: fc.string() }) }),
  ) as fc.Arbitrary<Message>;
}

/** Nearly a message: every member may be missing or of any type. */
function envelope() {
  const any = fc.jsonValue();
  return fc.record(
    {
      jsonrpc: fc.oneof(fc.constant('2.0'), any),
      id: any,
      method: fc.oneof(fc.string(), any),
      params: any,
      result: any,
      error: any,
    },
    { requiredKeys: [] },
  );
}
