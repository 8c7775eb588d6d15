import { utimesSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { messageOf } from '@hawser/unknown-values/thrown';
import { comparable, lineEndsOf, textOnDisk } from '../../comparable-text.ts';
import { MAX_FILE_BYTES } from '../../regular-file.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
import { readTextFile, writeTextFile } from '../../text-file.ts';
import type { Ruling } from '../audience.ts';
import type { KeptTexts } from '../kept-texts.ts';
import type { Accepted, Proposal } from '../proposal.ts';
import type { ProposalWatch } from '../stale.ts';

export interface HandoverOptions {
  readonly watch: (onChange: (path: string) => void) => ProposalWatch;
  readonly kept?: KeptTexts | undefined;
  readonly temporaryFiles: TemporaryFiles;
  /** The agent wrote something else, or nothing. */
  readonly onMismatch: (mismatch: Mismatch) => void;
  readonly onProblem: (problem: Error) => void;
  /** An agent that has written nothing by then won't. Default 15 s. */
  readonly patienceMs?: number;
}

export interface Mismatch {
  readonly accepted: Accepted;
  /** What the file contains instead; undefined for no file. */
  readonly found: string | undefined;
  /** The agent has left the file as it was. */
  readonly isUnchanged: boolean;
  /** The file in which the user's version is kept, if they typed it. */
  readonly kept: string | undefined;
}

const PATIENCE_MS = 15_000;
/** Agents may write a file in two steps. */
const SETTLE_MS = 300;

/** Looks whether agents write what the user accepted. */
export class Handovers {
  readonly #options: HandoverOptions;
  readonly #watch: ProposalWatch;
  readonly #open = new Map<string, Handover>();

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.#watch = options.watch((path) => this.#changed(path));
  }

  /** The agent has been handed the text. */
  follow(accepted: Accepted, kept: string | undefined): void {
    const { path } = accepted.proposal;
    // It was accepted later, so it counts.
    this.#end(path);
    const timer = setTimeout(() => void this.#judge(path), this.#options.patienceMs ?? PATIENCE_MS).unref();
    this.#open.set(path, { accepted, kept, timer, looking: Promise.resolve(undefined) });
    // A change from before the watch began is not missed.
    void this.#watch.add(path).then(() => this.#look(path));
  }

  /** Whether an agent is about to write this file. */
  has(path: string): boolean {
    return this.#open.has(path);
  }

  /**
   * Some agents ask a second time before they write what their gate was handed. The user has decided that: undefined for
   * anything else.
   */
  rulingOn({ path, oldText, newText }: Proposal): Ruling | undefined {
    const { text, proposal } = this.#open.get(path)?.accepted ?? {};
    if (proposal?.isOfGate !== true || text !== newText || proposal.oldText !== oldText) return undefined;
    return { decision: { kind: 'accepted' }, by: 'its gate' };
  }

  /** After a last look. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((path) => this.#look(path)));
    for (const path of [...this.#open.keys()]) this.#end(path);
    this.#watch.close();
  }

  /** Ends at once if the text is there; else when the file has not changed for a while. */
  #changed(path: string): void {
    void this.#look(path).then((state) => {
      const handover = this.#open.get(path);
      if (handover === undefined || state !== 'other text') return;
      clearTimeout(handover.timer);
      handover.timer = setTimeout(() => void this.#judge(path), SETTLE_MS).unref();
    });
  }

  /** One look at a time: it may mend the file. */
  #look(path: string): Promise<Seen | undefined> {
    const handover = this.#open.get(path);
    if (handover === undefined) return Promise.resolve(undefined);
    handover.looking = handover.looking.then(() => this.#lookAt(path, handover));
    return handover.looking;
  }

  async #lookAt(path: string, handover: Handover): Promise<Seen | undefined> {
    if (this.#open.get(path) !== handover) return undefined;
    const { accepted, kept } = handover;
    const { text: wanted, proposal } = accepted;
    const lineEnds = lineEndsOf(proposal.newText);
    try {
      const found = comparable(await textOnDisk(path), lineEnds);
      const isWritten = found === comparable(wanted, lineEnds) || (await this.#mendFinalNewline(path, found, wanted));
      if (isWritten) {
        if (kept !== undefined) this.#options.kept?.release(kept);
        this.#end(path);
        return 'written';
      }
      return found === proposal.oldText ? 'unchanged' : 'other text';
    } catch (error) {
      this.#options.onProblem(new Error(`Can't look at ${path}: ${messageOf(error)}`, { cause: error }));
      return undefined;
    }
  }

  async #judge(path: string): Promise<void> {
    const state = await this.#look(path);
    const handover = this.#open.get(path);
    if (handover === undefined || state === 'written') return;
    this.#end(path);
    const { accepted, kept } = handover;
    const found = await textOnDisk(path).catch(() => undefined);
    this.#options.onMismatch({ accepted, kept, found, isUnchanged: state === 'unchanged' });
  }

  /**
   * Some agents drop or add the last newline of a text that they write as a whole. The time of the file stays, so that the agent
   * does not take it for a change by somebody else.
   */
  async #mendFinalNewline(path: string, found: string | undefined, wanted: string): Promise<boolean> {
    if (found === undefined || found === '' || (`${found}\n` !== wanted && found !== `${wanted}\n`)) return false;
    const { text, encoding, stamp } = await readTextFile(path, MAX_FILE_BYTES);
    const newline = text.includes('\r\n') ? '\r\n' : '\n';
    const mended = wanted.length > found.length ? text + newline : text.replace(/\r?\n$/, '');
    const { atime, mtime } = await stat(path);
    const { temporaryFiles } = this.#options;
    await writeTextFile(path, mended, { encoding, replaces: stamp, temporaryFiles });
    utimesSync(path, atime, mtime);
    return true;
  }

  #end(path: string): void {
    clearTimeout(this.#open.get(path)?.timer);
    this.#open.delete(path);
    this.#watch.remove(path);
  }
}

type Seen = 'written' | 'unchanged' | 'other text';

interface Handover {
  readonly accepted: Accepted;
  readonly kept: string | undefined;
  timer: NodeJS.Timeout;
  looking: Promise<Seen | undefined>;
}

/** For the user. */
export function mismatchInWords({ accepted, isUnchanged, kept }: Mismatch): string {
  const { agent, path } = accepted.proposal;
  const what = isUnchanged
    ? `${agent} has not written ${path}, which you accepted`
    : `${agent} wrote something else to ${path} than you accepted`;
  return `${what}${kept === undefined ? '' : `; your version is kept in ${kept}`}`;
}
