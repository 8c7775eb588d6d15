import { unref } from '../../../../jsonrpc/deadlines.ts';
import { tag } from '../../../../redis/keys.ts';
import type { Redis } from '../../../../redis/redis.ts';
import type { TaskMessage, TaskReceiver } from '../../task-store.ts';
import { SEND } from './scripts.ts';
import type { TaskKeys } from './task-keys.ts';

/** A message on its way, with the channel of its sender. */
interface Envelope {
  readonly id: number;
  readonly replyTo: string;
  readonly message: TaskMessage;
}

interface Receipt {
  readonly id: number;
  readonly isTaken: boolean;
}

interface Sent {
  /** The processes that have not responded. */
  pending: number;
  readonly settle: (isTaken: boolean) => void;
}

/** How long a process that got a message has to confirm it. */
const RECEIPT_MS = 3000;
const RETRY_MS = 1000;
/** Messages that a receiver tells apart from those that are sent again. */
const MAX_REMEMBERED = 100;

/** Messages to tasks. Each process that gets one says whether it has taken it. */
export class TaskMessages {
  readonly #redis: Redis;
  readonly #replyTo: string;
  readonly #sent = new Map<number, Sent>();
  /** Receipts that came before the number of processes was known. */
  readonly #early = new Map<number, Receipt[]>();
  #listening: Promise<unknown> | undefined;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#replyTo = `${redis.prefix}:${tag(`receipts-${redis.connection.writer}`)}`;
  }

  /** False if no process has taken the message. */
  async send(keys: TaskKeys, message: TaskMessage): Promise<boolean> {
    const { connection } = this.#redis;
    await this.#listen();
    const id = connection.newNumber();
    const envelope: Envelope = { id, replyTo: this.#replyTo, message };
    this.#early.set(id, []);
    try {
      const processes = await connection.run(SEND, [keys.task], [keys.messages, JSON.stringify(envelope)]);
      return await this.#confirmed(id, Number(processes));
    } finally {
      this.#early.delete(id);
      this.#sent.delete(id);
    }
  }

  /** Calls the receiver with the messages to a task. */
  async receive(keys: TaskKeys, receiver: TaskReceiver): Promise<() => void> {
    let isStopped = false;
    const received = new Set<string>();
    const isNew = (sender: string, id: number) => {
      const name = `${sender} ${id}`;
      if (received.has(name)) return false;
      received.add(name);
      for (const oldest of received) if (received.size > MAX_REMEMBERED) received.delete(oldest);
      return true;
    };
    let stop = () => {};
    const listener = {
      message: (text: string) => {
        const { id, replyTo, message } = JSON.parse(text) as Envelope;
        if (!isStopped && isNew(replyTo, id)) receiver.message(message);
        this.#confirm(replyTo, { id, isTaken: !isStopped });
      },
      check: () => {}, // A sender learns by itself that its message was not confirmed.
      failed: () => unref(setTimeout(() => void subscribeAgain(), RETRY_MS)),
    };
    const subscribeAgain = async () => {
      if (isStopped) return;
      try {
        stop = await this.#redis.subscriptions.add(keys.messages, listener);
        if (isStopped) stop();
      } catch {
        listener.failed();
      }
    };
    stop = await this.#redis.subscriptions.add(keys.messages, listener);
    return () => {
      isStopped = true;
      stop();
    };
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#redis.subscriptions.add(this.#replyTo, {
      message: (text) => this.#receipt(JSON.parse(text) as Receipt),
      check: () => {},
      failed: () => {
        this.#listening = undefined;
      },
    });
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  #confirmed(id: number, processes: number): Promise<boolean> {
    if (processes === 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), RECEIPT_MS);
      const settle = (isTaken: boolean) => {
        clearTimeout(timer);
        resolve(isTaken);
      };
      const early = this.#early.get(id) ?? [];
      this.#sent.set(id, { pending: processes, settle });
      for (const receipt of early) this.#receipt(receipt);
    });
  }

  #receipt(receipt: Receipt): void {
    const sent = this.#sent.get(receipt.id);
    if (sent === undefined) {
      this.#early.get(receipt.id)?.push(receipt);
      return;
    }
    sent.pending -= 1;
    if (receipt.isTaken || sent.pending === 0) sent.settle(receipt.isTaken);
  }

  #confirm(replyTo: string, receipt: Receipt): void {
    // Without it the sender assumes that the message was not taken.
    this.#redis.connection.run(SEND, [replyTo], [replyTo, JSON.stringify(receipt)]).catch(() => {});
  }
}
