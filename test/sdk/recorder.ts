import { type Connection, decode, encode, type Message, type Outgoing, type Receiver } from '@hawser/mcp';
import type { Emitted, WireMessage } from './message-check.ts';
import type { Version } from './revision-members.ts';

/** A connection that remembers what its side sends, as it stands on the wire. */
export class Recorder implements Connection {
  readonly emitted: Emitted[] = [];
  readonly #inner: Connection;
  readonly #from: 'client' | 'server';
  /** What the peer asked, by id. */
  readonly #asked = new Map<unknown, string>();
  readonly #watchers = new Set<(emitted: Emitted) => void>();
  #handshakeId: unknown;
  #version: Version | undefined;
  #receiver: Receiver | undefined;

  constructor(inner: Connection, from: 'client' | 'server') {
    this.#inner = inner;
    this.#from = from;
  }

  start(receiver: Receiver): void {
    this.#receiver = {
      message: (message) => {
        this.#arrived(message);
        receiver.message(message);
      },
      malformed: (malformed) => receiver.malformed(malformed),
      batch: (items) => {
        for (const item of items) if ('jsonrpc' in item) this.#arrived(item);
        receiver.batch(items);
      },
      refused: (id, reason) => receiver.refused(id, reason),
      ended: () => receiver.ended(),
      closed: (reason) => receiver.closed(reason),
    };
    this.#inner.start(this.#receiver);
  }

  send(outgoing: Outgoing): void {
    const written: WireMessage | WireMessage[] = JSON.parse(encode(outgoing));
    for (const message of Array.isArray(written) ? written : [written]) this.#record(message);
    this.#inner.send(outgoing);
  }

  drained(): Promise<void> {
    return this.#inner.drained();
  }

  close(reason?: string): Promise<void> {
    return this.#inner.close(reason);
  }

  /** Lets a text arrive at this side as if the other had sent it. */
  inject(text: string): void {
    if (this.#receiver === undefined) throw new Error('Not started');
    decode(text, this.#receiver);
  }

  /** Injects a text and gives the first message this side sends thereafter, or the first with this id. */
  async reactionTo(text: string, id?: unknown): Promise<WireMessage> {
    const reaction = new Promise<Emitted>((resolve) => {
      const watcher = (emitted: Emitted) => {
        if (id !== undefined && emitted.message.id !== id) return;
        this.#watchers.delete(watcher);
        resolve(emitted);
      };
      this.#watchers.add(watcher);
    });
    this.inject(text);
    return (await reaction).message;
  }

  #arrived(message: Message): void {
    if (message.method !== undefined && message.id !== undefined) this.#asked.set(message.id, message.method);
    if ('result' in message && message.id === this.#handshakeId) this.#agree(message.result);
  }

  #record(message: WireMessage): void {
    const answers = message.method === undefined ? this.#asked.get(message.id) : undefined;
    const emitted = { from: this.#from, message, version: this.#version, answers };
    this.emitted.push(emitted);
    if (message.method === 'initialize') this.#handshakeId = message.id;
    if (answers === 'initialize' && message.result !== undefined) this.#agree(message.result);
    for (const watcher of [...this.#watchers]) watcher(emitted);
  }

  #agree(result: unknown): void {
    this.#version ??= (result as { protocolVersion: Version }).protocolVersion;
  }
}
