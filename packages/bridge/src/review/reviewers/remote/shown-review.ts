import { carryChoices } from '@hawser/diffs/carry-choices';
import { applyHunks, type Hunk, hunksOf } from '@hawser/diffs/hunks';
import { lineFeedHunks } from '@hawser/diffs/line-feed-hunks';
import { mergeLimited } from '@hawser/diffs/merge';
import type { ParamsOf, ResultOf, WireDecision, WireProposal } from '@hawser/editor-protocol';
import { ErrorCode, RpcError } from '@hawser/mcp';
import { asError } from '@hawser/unknown-values/thrown';
import type { Decision, ProposalEffect } from '../../proposal.ts';
import { isNoticed } from '../../resolve-decision.ts';
import { type DecideResult, type OpenReview, ReviewEnded } from '../../reviewer.ts';
import { restored } from './wire-form.ts';
import {
  type CarriedTexts,
  choiceOf,
  markOf,
  type ShownRevision,
  shownRevision,
  sinceRound,
  wireProgress,
  wireProposal,
} from './wire-proposal.ts';

/** How many revisions an editor may be behind while the file changes faster than it asks. */
const FORMER_REVISIONS = 4;

/** What a reviewer needs of the connection to an editor. */
export interface ReviewChannel {
  readonly hasEnded: boolean;
  /** What the editor shows. */
  readonly effects: readonly ProposalEffect[];
  /** It shows what has changed since the previous round. */
  readonly showsRounds: boolean;
  show(method: 'proposal/show' | 'proposal/update', proposal: WireProposal, signal: AbortSignal): Promise<unknown>;
  progress(params: ParamsOf<'proposal/progress'>): void;
  close(params: ParamsOf<'proposal/close'>): void;
  /** A sentence for the user. */
  inform(message: string): void;
  uriOf(path: string): string;
  /** For the texts of one message. */
  carry(): CarriedTexts;
}

/** One proposal in an editor. Hunks are computed and applied here; the editor names them by their index. */
export class ShownReview {
  readonly #review: OpenReview;
  readonly #channel: ReviewChannel;
  /** The revision that the editor has. */
  #shown: ShownRevision;
  /** Those before, on which the user may have worked until now, with the hunks that the editor had of them. */
  #former: readonly ShownRevision[] = [];
  /** The hunks that the editor was told last. */
  #toldHunks: readonly Hunk[];
  #texts: CarriedTexts | undefined;
  /** Of the last progress. */
  #progressTexts: CarriedTexts | undefined;

  constructor(review: OpenReview, channel: ReviewChannel) {
    this.#review = review;
    this.#channel = channel;
    this.#shown = shownRevision(review.proposal);
    this.#toldHunks = this.#shown.hunks;
  }

  open(): void {
    this.#review.signal.addEventListener('abort', () => this.#close(), { once: true });
    this.#review.onRefresh(() => this.#refresh());
    this.#send('proposal/show');
    if (this.#shown.proposal.progress !== undefined) this.#sendProgress();
  }

  async decide(decision: WireDecision, revision: number): Promise<DecideResult> {
    return await this.#review.decide(this.#decisionOf(decision), revision);
  }

  hunksOfEdited(given: Omit<ParamsOf<'proposal/hunks'>, 'id'>): ResultOf<'proposal/hunks'> {
    const { before, choices = [], isNext = false, revision } = given;
    const { form, proposal } = this.#shown;
    const former = this.#former.find((each) => each.proposal.revision === revision);
    const merged = given.text === undefined ? undefined : this.#merged(given.text, former, given.madeFrom);
    const text = merged ?? given.text ?? form.newText;
    const hunks = hunksOf(form.oldText, text);
    const told = former?.hunks ?? this.#toldHunks;
    const chosenOn = isNext ? told : hunksOf(form.oldText, before ?? form.newText);
    const kept = carryChoices(chosenOn, hunks, choices.map(choiceOf));
    this.#toldHunks = hunks;
    return {
      hunks: lineFeedHunks(form.oldText, text, hunks),
      choices: kept.map(markOf),
      ...(merged !== undefined && { text: merged }),
      ...(proposal.previous && this.#channel.showsRounds && { previous: sinceRound(proposal.previous, text) }),
    };
  }

  /** A text that was made from an earlier revision, with what has changed since; undefined if both touch, or nothing has. */
  #merged(ours: string, former: ShownRevision | undefined, madeFrom: string | undefined): string | undefined {
    const { proposal, form } = this.#shown;
    if (former === undefined || isNoticed(proposal.effect)) {
      const base = former?.form.newText ?? madeFrom;
      return base === undefined || base === form.newText
        ? undefined
        : mergeLimited({ base, ours, theirs: form.newText });
    }
    const [base, theirs] = [former, this.#shown].map((each) =>
      each.proposal.oldText === undefined ? undefined : each.form.oldText,
    );
    return mergeLimited({ base, ours, theirs });
  }

  #decisionOf(decision: WireDecision): Decision {
    const { form } = this.#shown;
    const noted = decision.notes === undefined ? {} : { notes: decision.notes };
    if (decision.kind !== 'accepted') {
      const { text: unaccepted } = decision;
      const edited = unaccepted === undefined ? {} : { text: restored(unaccepted, form) };
      if (decision.kind === 'rejected') return { kind: 'rejected', ...noted, ...edited };
      return { kind: 'changesRequested', ...noted, ...edited, ...(decision.marks && { marks: decision.marks }) };
    }
    const text = this.#acceptedText(decision);
    return { kind: 'accepted', ...noted, ...(text !== undefined && { text: restored(text, form) }) };
  }

  /** Undefined for the proposal as it is. */
  #acceptedText({ text, hunks: indexes }: Extract<WireDecision, { kind: 'accepted' }>): string | undefined {
    const { oldText, newText } = this.#shown.form;
    if (indexes === undefined) return text === newText ? undefined : text;
    const hunks = hunksOf(oldText, text ?? newText);
    const unknown = indexes.find((index) => hunks[index] === undefined);
    if (unknown !== undefined) {
      throw new RpcError(ErrorCode.InvalidParams, `There is no hunk ${unknown}: there are ${hunks.length}`);
    }
    return applyHunks(oldText, hunks, new Set(indexes));
  }

  #refresh(): void {
    const before = this.#shown;
    const { proposal } = this.#review;
    if (proposal.revision !== before.proposal.revision) {
      this.#shown = shownRevision(proposal);
      this.#former = [{ ...before, hunks: this.#toldHunks }, ...this.#former].slice(0, FORMER_REVISIONS);
      this.#toldHunks = this.#shown.hunks;
      this.#send('proposal/update');
    } else {
      this.#shown = { ...before, proposal };
    }
    if (proposal.progress !== before.proposal.progress) this.#sendProgress();
  }

  #send(method: 'proposal/show' | 'proposal/update'): void {
    const { signal } = this.#review;
    const before = this.#texts;
    try {
      this.#texts = this.#channel.carry();
      const uri = this.#channel.uriOf(this.#shown.proposal.path);
      const proposal = wireProposal(this.#shown, uri, this.#texts, this.#channel.showsRounds);
      const sent = this.#channel.show(method, proposal, signal);
      sent.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
    before?.remove();
  }

  #sendProgress(): void {
    this.#progressTexts?.remove();
    this.#progressTexts = this.#channel.carry();
    this.#channel.progress(wireProgress(this.#shown.proposal, this.#shown.form, this.#progressTexts));
  }

  #close(): void {
    const { reason } = this.#review.signal;
    const outcome =
      reason instanceof ReviewEnded ? reason.outcome : { kind: 'withdrawn' as const, reason: String(reason) };
    this.#channel.close({ id: this.#shown.proposal.id, outcome });
    this.#texts?.remove();
    this.#progressTexts?.remove();
  }

  #fail(error: unknown): void {
    if (this.#review.signal.aborted || this.#channel.hasEnded) return;
    this.#review.fail(asError(error));
  }
}
