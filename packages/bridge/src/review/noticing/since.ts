import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FormerText, readText, type Snapshot, takeSnapshot } from '../../files/snapshot.ts';
import type { ReviewQueue } from '../queue.ts';
import { type Suspect, textOf } from './noticer.ts';

export interface SinceOptions {
  readonly reviews: ReviewQueue;
  readonly folders: () => readonly string[];
  /** The agent that was active last; undefined if none is connected. */
  readonly suspect: () => Suspect | undefined;
  readonly onProblem: (problem: Error) => void;
}

/** What has changed since a moment, in the queue now. */
export interface ChangedSince {
  /** When that was, in ISO 8601, and what happened then. */
  readonly time: string;
  readonly event: string;
  /** How many files wait for a decision. */
  readonly proposed: number;
  /** Files that have changed, and of which there is no former text to show. */
  readonly unknown: readonly string[];
  /** There are more files than the limit. */
  readonly isCut: boolean;
}

/** Why there is nothing to compare with. The message is for the user. */
export class NoSnapshot extends Error {
  override readonly name = 'NoSnapshot';
}

const MAX_PROPOSED = 200;
const MAX_UNKNOWN = 100;

interface Mark {
  readonly time: Date;
  readonly event: string;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
}

/** Remembers the workspace as it was when an agent's turn began, to show afterwards what has changed since. */
export class Since {
  readonly #options: SinceOptions;
  readonly #ending = new AbortController();
  #mark: Promise<Mark | undefined> | undefined;

  constructor(options: SinceOptions) {
    this.#options = options;
  }

  /** From now on changes are those since this moment. Resolves when the workspace is remembered. */
  async mark(event: string): Promise<void> {
    const before = this.#mark;
    const taken = this.#take(event).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) {
        this.#options.onProblem(new Error('The workspace is not remembered', { cause: error }));
      }
      return before;
    });
    this.#mark = taken;
    await taken;
  }

  /** Proposes what has changed: accepting keeps it, rejecting writes the former text. Rejects with a NoSnapshot. */
  async propose(signal: AbortSignal): Promise<ChangedSince> {
    const mark = await this.#mark;
    if (mark === undefined) {
      throw new NoSnapshot(
        'There is no snapshot of the workspace to compare with: this bridge took none when the turn began',
      );
    }
    const { reviews } = this.#options;
    const unknown: string[] = [];
    let proposed = 0;
    let isCut = false;
    for (const snapshot of mark.snapshots.values()) {
      for (const path of await snapshot.candidates(signal)) {
        signal.throwIfAborted();
        const [before, now] = await Promise.all([snapshot.textOf(path), readText(path)]);
        if (isSame(before, now)) continue;
        const isOpen = reviews.list().some((each) => each.path === path && each.effect !== 'command');
        if (before.kind === 'unknown' || now.kind === 'unknown') {
          if (unknown.length < MAX_UNKNOWN) unknown.push(path);
        } else if (!isOpen && proposed >= MAX_PROPOSED) isCut = true;
        else {
          if (!isOpen) this.#propose(path, before, now, mark);
          proposed += 1;
        }
      }
    }
    await nextTurn();
    return { time: mark.time.toISOString(), event: mark.event, proposed, unknown, isCut };
  }

  close(): void {
    this.#ending.abort();
  }

  async #take(event: string): Promise<Mark> {
    const { signal } = this.#ending;
    const time = new Date();
    // The bridge that has just started says so first: starting git takes milliseconds.
    await nextTurn();
    const taking = this.#options.folders().map(async (folder) => {
      return [folder, await takeSnapshot(folder, { signal })] as const;
    });
    return { time, event, snapshots: new Map(await Promise.all(taking)) };
  }

  #propose(path: string, before: FormerText, now: FormerText, { event }: Mark): void {
    const { reviews, suspect, onProblem } = this.#options;
    const change = {
      path,
      oldText: textOf(before),
      newText: textOf(now) ?? '',
      agent: suspect()?.name ?? 'somebody',
      title: `${path} has changed since ${event}`,
      effect: textOf(now) === undefined ? ('noticedDelete' as const) : ('noticed' as const),
    };
    const options = { owner: this, signal: this.#ending.signal, name: path, writer: 'bridge' } as const;
    reviews.propose(change, options).catch((error: Error) => onProblem(error));
  }
}

function isSame(one: FormerText, other: FormerText): boolean {
  return one.kind === other.kind && one.kind !== 'unknown' && textOf(one) === textOf(other);
}
