import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { contains } from '../../access/paths.ts';
import { listFiles } from '../../files/list-files.ts';
import { type FormerText, isAsInGit, isIgnored, readText, type Snapshot, takeSnapshot } from '../../files/snapshot.ts';
import { watchTree } from '../../files/tree-watch.ts';
import { isTemporaryFile } from '../../temporary-files.ts';
import type { ReviewEvent } from '../audience.ts';
import type { ReviewQueue } from '../queue.ts';
import { isNoticed } from '../resolve-decision.ts';

/** An agent that may have changed a file. */
export interface Suspect {
  readonly name: string;
  /** How its user is asked next time. */
  readonly advice?: string | undefined;
}

export interface NoticerOptions {
  readonly reviews: ReviewQueue;
  readonly folders: () => readonly string[];
  /** The agent that was active last; undefined if none is connected. */
  readonly suspect: () => Suspect | undefined;
  /** Whether an agent was just handed a text for this file. */
  readonly isExpected: (path: string) => boolean;
  readonly onProblem: (problem: Error) => void;
}

/** Programs write a file in several steps. */
const SETTLE_MS = 300;
/** More are not shown: this is a checkout or a build, not an edit. */
const MAX_OPEN = 50;
/** How many files are known as somebody reviewed or wrote them. */
const MAX_KNOWN = 500;

/**
 * Notices files of the workspace that change while an agent is connected, and that no proposal, no decision, no save in the
 * editor and no git command explains. They are proposed: the user keeps the change or takes it back.
 */
export class Noticer {
  readonly #options: NoticerOptions;
  readonly #stop: () => void;
  /** What files contained when somebody reviewed or wrote them. */
  readonly #known = new Map<string, string | undefined>();
  readonly #due = new Map<string, NodeJS.Timeout>();
  /** Files that the editor has just written, while they are read. */
  readonly #saved = new Map<string, Promise<void>>();
  #watching: Watching | undefined;
  #isClosed = false;

  constructor(options: NoticerOptions) {
    this.#options = options;
    this.#stop = options.reviews.subscribe((event) => this.#decided(event));
  }

  /** Call it when agents connect or leave: files are watched as long as one is connected. */
  agentsChanged(): void {
    if (this.#isClosed) return;
    const isWanted = this.#options.suspect() !== undefined;
    if (isWanted && this.#watching === undefined) this.#begin();
    if (!isWanted) this.#end();
  }

  /** The user's editor has just written the file. */
  saved(path: string): void {
    if (this.#watching === undefined) return;
    // At once: what it contains later may be another change, whenever the system reports it.
    const reading = readText(path).then((now) => {
      if (now.kind !== 'unknown' && this.#watching !== undefined) this.#know(path, textOf(now));
      if (this.#saved.get(path) === reading) this.#saved.delete(path);
    });
    this.#saved.set(path, reading);
    this.#changed(path);
  }

  /** A command of the user is about to write this to the file, or to remove it. */
  announce(path: string, text: string | undefined): void {
    if (this.#watching !== undefined) this.#know(path, text);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#end();
  }

  #begin(): void {
    const ending = new AbortController();
    // Every open proposal and every git command listens to it.
    setMaxListeners(0, ending.signal);
    const watching: Watching = { ending, stops: [], snapshots: new Map() };
    this.#watching = watching;
    void Promise.all(this.#options.folders().map((folder) => this.#watch(folder, watching))).catch((error: Error) => {
      if (!ending.signal.aborted) this.#options.onProblem(new Error('Changes are not noticed', { cause: error }));
    });
  }

  async #watch(folder: string, watching: Watching): Promise<void> {
    const { signal } = watching.ending;
    // The watch first: what changes while the snapshot is taken is compared with a text from after the change at worst.
    const { files } = await listFiles(folder, { signal });
    if (signal.aborted) return;
    watching.stops.push(watchTree(folder, files, (path) => this.#changed(path)));
    watching.snapshots.set(folder, await takeSnapshot(folder, { signal }));
  }

  #end(): void {
    this.#watching?.ending.abort();
    for (const stop of this.#watching?.stops ?? []) stop();
    this.#watching = undefined;
    for (const timer of this.#due.values()) clearTimeout(timer);
    this.#due.clear();
    this.#saved.clear();
    this.#known.clear();
  }

  #changed(path: string): void {
    if (isTemporaryFile(path) || basename(path).endsWith('~')) return;
    clearTimeout(this.#due.get(path));
    const look = () => {
      this.#due.delete(path);
      this.#look(path).catch((cause: unknown) => {
        if (this.#watching !== undefined) this.#options.onProblem(new Error(`Can't look at ${path}`, { cause }));
      });
    };
    this.#due.set(path, setTimeout(look, SETTLE_MS).unref());
  }

  async #look(path: string): Promise<void> {
    const { reviews, isExpected } = this.#options;
    const [folder, snapshot] = this.#snapshotOf(path) ?? [];
    const { ending } = this.#watching ?? {};
    if (folder === undefined || snapshot === undefined || ending === undefined) return;
    const isOpen = () => reviews.list().some((proposal) => proposal.path === path && proposal.effect !== 'command');
    if (isOpen() || isExpected(path)) return;
    await this.#saved.get(path);
    const now = await readText(path);
    const before = await this.#former(path, snapshot);
    if (now.kind === 'unknown' || before.kind === 'unknown' || isSame(now, before)) return;
    const { signal } = ending;
    if (await isIgnored(folder, path, signal)) return;
    if (await isAsInGit(folder, path, signal)) return this.#know(path, textOf(now));
    const suspect = this.#options.suspect();
    if (signal.aborted || suspect === undefined || isOpen() || isExpected(path)) return;
    if (reviews.list().filter(({ effect }) => isNoticed(effect)).length >= MAX_OPEN) return;
    this.#propose(path, textOf(before), textOf(now), suspect);
  }

  #propose(path: string, before: string | undefined, now: string | undefined, { name, advice }: Suspect): void {
    const change = {
      path,
      oldText: before,
      newText: now ?? '',
      agent: name,
      title: `${name} (probably) changed ${path} without asking`,
      effect: now === undefined ? ('noticedDelete' as const) : ('noticed' as const),
      ...(advice !== undefined && { advice }),
    };
    const { signal } = this.#watching?.ending ?? new AbortController();
    this.#options.reviews
      .propose(change, { owner: this, signal, name: path, writer: 'bridge' })
      .catch((error: Error) => this.#options.onProblem(error));
  }

  /** The final text of a proposal counts as reviewed, whichever process writes it, and to whichever file. */
  #decided(event: ReviewEvent): void {
    if (event.kind !== 'removed' || this.#watching === undefined || event.proposal.effect === 'command') return;
    const { proposal, ended } = event;
    if (ended.kind === 'accepted') this.#know(proposal.path, ended.text);
    // It may have been accepted in the agent's own terminal.
    if (ended.kind === 'withdrawn' && !isNoticed(proposal.effect)) this.#know(proposal.path, proposal.newText);
    if (ended.kind === 'rejected' && isNoticed(proposal.effect)) this.#know(proposal.path, proposal.oldText);
  }

  #know(path: string, text: string | undefined): void {
    this.#known.delete(path);
    this.#known.set(path, text);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  async #former(path: string, snapshot: Snapshot): Promise<FormerText> {
    if (!this.#known.has(path)) return await snapshot.textOf(path);
    const text = this.#known.get(path);
    return text === undefined ? { kind: 'no file' } : { kind: 'text', text };
  }

  #snapshotOf(path: string): readonly [string, Snapshot] | undefined {
    return [...(this.#watching?.snapshots ?? [])].find(([folder]) => contains(folder, path));
  }
}

interface Watching {
  readonly ending: AbortController;
  readonly stops: (() => void)[];
  readonly snapshots: Map<string, Snapshot>;
}

/** Undefined for no file, and for what is not known. */
export function textOf(found: FormerText): string | undefined {
  return found.kind === 'text' ? found.text : undefined;
}

/** Agents write LF where git has it and the file has CRLF, and the other way round. */
function isSame(one: FormerText, other: FormerText): boolean {
  return textOf(one)?.replaceAll('\r\n', '\n') === textOf(other)?.replaceAll('\r\n', '\n');
}
