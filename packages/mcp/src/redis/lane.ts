import type { Command } from './command.ts';
import { codeOf, isTemporary, unavailable } from './failure.ts';

const FIRST_DELAY_MS = 20;
const MAX_DELAY_MS = 1000;

export interface LaneHost {
  send(key: string, args: readonly string[]): Promise<unknown>;
  /** The command got a response. */
  settled(command: Command): void;
  /** No commands are left after some had to be sent again. */
  recovered(key: string): void;
}

/**
 * Sends the commands about one key in order. Numbered commands don't wait for replies to each other: the server refuses one
 * whose predecessor is missing. Others wait for the replies to all before them, and all after them for theirs. If some
 * fail, it waits for the replies to the rest, sends the first failed command again until it succeeds, and then goes on.
 */
export class Lane {
  readonly #key: string;
  readonly #host: LaneHost;
  readonly #commands: Command[] = [];
  /** How many of them have no number. */
  #unnumbered = 0;
  #state: 'open' | 'draining' | 'resending' = 'open';

  constructor(key: string, host: LaneHost) {
    this.#key = key;
    this.#host = host;
  }

  get isIdle(): boolean {
    return this.#commands.length === 0 && this.#state === 'open';
  }

  add(command: Command): void {
    const canFollow = this.#commands.length === 0 || (this.#unnumbered === 0 && command.number !== undefined);
    const previous = this.#numberBefore(this.#commands.length);
    this.#commands.push(command);
    if (command.number === undefined) this.#unnumbered += 1;
    if (this.#state === 'open' && canFollow) void this.#attempt(command, previous);
  }

  /** For a command that got a response or was given up. */
  remove(command: Command): void {
    const index = this.#commands.indexOf(command);
    if (index >= 0) {
      this.#commands.splice(index, 1);
      if (command.number === undefined) this.#unnumbered -= 1;
    }
    if (this.#state === 'open') this.#sendNext();
    this.#resendIfDrained();
  }

  /** Sends what need not wait for those before it any more. */
  #sendNext(): void {
    for (const [index, command] of this.#commands.entries()) {
      const isNumbered = command.number !== undefined;
      if (index > 0 && !isNumbered) return;
      if (!command.isPending) void this.#attempt(command, this.#numberBefore(index));
      else if (this.#unnumbered === 0) return;
      if (!isNumbered) return;
    }
  }

  async #attempt(command: Command, previous: number): Promise<void> {
    command.isPending = true;
    try {
      const reply = await this.#host.send(this.#key, command.args(previous));
      if (!command.isSettled) command.resolve(reply);
    } catch (error) {
      command.isPending = false;
      command.failure = error;
      if (!command.isSettled && isTemporary(error)) {
        if (this.#state === 'open') this.#state = 'draining';
        this.#resendIfDrained();
        return;
      }
      if (!command.isSettled) command.reject(unavailable(error));
    }
    this.#host.settled(command);
  }

  #resendIfDrained(): void {
    if (this.#state !== 'draining' || this.#commands.some(({ isPending }) => isPending)) return;
    this.#state = 'resending';
    void this.#resend();
  }

  async #resend(): Promise<void> {
    for (let delay = FIRST_DELAY_MS; ; ) {
      const [command] = this.#commands;
      if (command === undefined || command.failure === undefined) break;
      const code = codeOf(command.failure);
      // The server only lacks the text of the script, or the commands before this one.
      if (code !== 'NOSCRIPT' && code !== 'OUTOFORDER') {
        await pause(delay);
        delay = Math.min(2 * delay, MAX_DELAY_MS);
      }
      const settled = command.outcome.then(
        () => {},
        () => {},
      );
      if (!command.isSettled) await Promise.race([this.#attempt(command, 0), settled]);
      if (command.isSettled && !command.isGivenUp) break;
    }
    this.#state = 'open';
    if (this.#commands.length === 0) this.#host.recovered(this.#key);
    this.#sendNext();
  }

  /** The number of the last numbered command among the first ones. */
  #numberBefore(index: number): number {
    for (let n = index - 1; n >= 0; n -= 1) {
      const number = this.#commands[n]?.number;
      if (number !== undefined) return number;
    }
    return 0;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
