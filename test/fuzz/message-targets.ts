import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import type { Random } from '../../packages/mcp/testing/random.ts';
import { IDS_PER_MESSAGE, oddMessage } from './messages.ts';
import { type FuzzTarget, type OpenTarget, Violation, within } from './target.ts';
import { startNetworkVictim, Victim } from './victim.ts';

const MESSAGES_PER_CASE = 40;
const ANSWER_MS = 10_000;

/** Counts the answers to each request, and waits for one of them. */
class Answers {
  readonly #counts = new Map<unknown, number>();
  /** How often each id was sent: a damaged digit can repeat the id of another request. */
  readonly #sent = new Map<number, number>();
  readonly #waiting = new Map<unknown, () => void>();

  sending(text: string): void {
    for (const [digits] of text.matchAll(/\d{7,}/g)) {
      const id = Number(digits);
      this.#sent.set(id, (this.#sent.get(id) ?? 0) + 1);
    }
  }

  receive(text: string): void {
    const message: unknown = parsed(text);
    for (const each of Array.isArray(message) ? message : [message]) this.#count(each);
  }

  async until(id: string): Promise<void> {
    if (this.#counts.has(id)) return;
    await new Promise<void>((resolve) => this.#waiting.set(id, resolve));
  }

  #count(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) {
      throw new Violation(`The server sent what is not a message: ${JSON.stringify(message)}`);
    }
    const { id, method } = message as { id?: unknown; method?: unknown };
    // Messages without one of our ids: notifications, requests of the server, answers to what it could not read.
    if (method !== undefined || id === undefined || id === null) return;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const isOurs = typeof id === 'number' && id >= FIRST_ID;
    if (isOurs && count > (this.#sent.get(id) ?? 0)) throw new Violation(`Request ${id} was answered ${count} times`);
    this.#waiting.get(id)?.();
  }
}

/** Ids below it can come from a mutation, and more than once. */
const FIRST_ID = 1_000_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation(`The server sent what is not JSON: ${text.slice(0, 200)}`);
  }
}

/** Sends odd messages, then an honest one, which must be answered. */
async function attack(random: Random, answers: Answers, send: (text: string) => void, ids: Ids): Promise<number> {
  for (let count = 0; count < MESSAGES_PER_CASE; count += 1) {
    const text = oddMessage(random, ids.next).toString();
    answers.sending(text);
    send(text);
    ids.next += IDS_PER_MESSAGE;
  }
  const id = `alive-${ids.next}`;
  send(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
  await answers.until(id);
  return MESSAGES_PER_CASE;
}

interface Ids {
  next: number;
}

/** One session per case. */
export function webSocketMessages(program: string): FuzzTarget {
  return {
    name: 'messages over WebSocket',
    async open(): Promise<OpenTarget> {
      const { victim, webSocket, probe } = await startNetworkVictim(program);
      const ids = { next: FIRST_ID };
      return {
        async runCase(random) {
          const socket = new WebSocket(webSocket, ['mcp'], { maxPayload: 2 ** 28 });
          const answers = new Answers();
          const broken = new Promise<never>((_, reject) => {
            socket.on('message', (data) => attempt(() => answers.receive(data.toString()), reject));
            socket.on('error', reject);
            socket.on('close', (code, reason) => {
              reject(new Violation(`The server ended the connection: ${code} ${reason}`));
            });
          });
          broken.catch(() => {});
          await Promise.race([once(socket, 'open'), broken]);
          const work = Promise.race([attack(random, answers, (text) => socket.send(text), ids), broken]);
          const count = await within(ANSWER_MS, 'An honest request after the odd ones', work).finally(() => {
            socket.terminate();
          });
          await probe();
          return count;
        },
        close: () => victim.stop(),
      };
    },
  };
}

/** One process for all cases. */
export function stdioMessages(program: string): FuzzTarget {
  return {
    name: 'messages over stdio',
    async open(): Promise<OpenTarget> {
      const victim = new Victim(program, ['stdio']);
      const answers = new Answers();
      const ids = { next: FIRST_ID };
      let failure: unknown;
      createInterface({ input: victim.process.stdout }).on('line', (line) => {
        attempt(
          () => answers.receive(line),
          (error) => {
            failure ??= error;
          },
        );
      });
      const send = (text: string) => void victim.process.stdin.write(`${text.replaceAll('\n', ' ')}\n`);
      return {
        async runCase(random) {
          const count = await within(
            ANSWER_MS,
            'An honest request after the odd ones',
            attack(random, answers, send, ids),
          ).catch((error) => {
            victim.checkRunning();
            throw error;
          });
          if (failure !== undefined) throw failure;
          return count;
        },
        close: () => victim.stop(),
      };
    },
  };
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}
