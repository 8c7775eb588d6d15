import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, writePrivateFile } from '@hawser/user-files/private-file';
import type { ReviewEvent } from '../audience.ts';
import { decisionIn, type RememberedDecision } from './decision.ts';
import { TextStore } from './text-store.ts';

export interface HistoryLimits {
  /** Of the list of decisions. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Of the texts. Default 64 MiB. */
  readonly maxTextBytes?: number;
}

const MIB = 1024 * 1024;

/** What the user has decided, in the state folder, for all bridges of this user. Only this user can read it. */
export class History {
  readonly #folder: string;
  readonly #file: string;
  readonly #texts: TextStore;
  readonly #maxBytes: number;

  constructor(stateFolder: string, { maxBytes = 4 * MIB, maxTextBytes = 64 * MIB }: HistoryLimits = {}) {
    this.#folder = join(stateFolder, 'history');
    this.#file = join(this.#folder, 'decisions.jsonl');
    this.#texts = new TextStore(join(this.#folder, 'texts'), maxTextBytes);
    this.#maxBytes = maxBytes;
  }

  /** Remembers how a proposal ended, if the user decided it. Throws if that can't be written. */
  add({ proposal, outcome, ended }: Extract<ReviewEvent, { kind: 'removed' }>): void {
    if (ended.kind === 'withdrawn' || outcome.kind === 'withdrawn') return;
    const { id, path, agent, effect = 'edit', oldText } = proposal;
    const isGone = effect === 'delete' || effect === 'noticedDelete';
    const textOf = (text: string | undefined) => (isGone && text === '' ? undefined : text);
    const texts = {
      oldText,
      newText: textOf(proposal.newText),
      accepted: ended.kind === 'accepted' ? textOf(ended.text) : undefined,
    };
    const hashes = Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, this.#texts.add(text)] as const],
    );
    const decision: RememberedDecision = {
      ...{ id, time: new Date().toISOString(), path, agent, effect, decision: ended.kind, by: outcome.by },
      writer: outcome.kind === 'accepted' ? outcome.writer : 'agent',
      ...Object.fromEntries(hashes),
      notes: ended.notes,
    };
    makePrivateFolder(this.#folder);
    // One write, so that lines of several bridges do not mix.
    appendFileSync(this.#file, `${JSON.stringify(decision)}\n`, { mode: 0o600 });
    this.#makeRoom();
  }

  /** The newest first. */
  list(): readonly RememberedDecision[] {
    try {
      const lines = readFileSync(this.#file, 'utf8').split('\n');
      return lines.flatMap((line) => decisionIn(line) ?? []).reverse();
    } catch {
      return [];
    }
  }

  /** The texts of a decision; `lost` names those that had to make room. */
  textsOf(decision: RememberedDecision): DecisionTexts {
    const lost: string[] = [];
    const textOf = (name: 'oldText' | 'newText' | 'accepted') => {
      const hash = decision[name];
      const text = hash === undefined ? undefined : this.#texts.get(hash);
      if (hash !== undefined && text === undefined) lost.push(name);
      return text;
    };
    return { oldText: textOf('oldText'), newText: textOf('newText'), accepted: textOf('accepted'), lost };
  }

  /** Keeps the newer half. */
  #makeRoom(): void {
    if (statSync(this.#file).size <= this.#maxBytes) return;
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    writePrivateFile(this.#file, lines.slice(Math.floor(lines.length / 2)).join('\n'));
  }
}

/** Undefined for no file, and for what is lost. */
export interface DecisionTexts {
  readonly oldText: string | undefined;
  readonly newText: string | undefined;
  readonly accepted: string | undefined;
  readonly lost: readonly string[];
}
