import { type ChoiceOnHunk, carryChoices } from '@hawser/diffs/carry-choices';
import { applyHunks, hunksOf } from '@hawser/diffs/hunks';
import { lineFeedHunks } from '@hawser/diffs/line-feed-hunks';
import { mergeLimited } from '@hawser/diffs/merge';
import type { ParamsOf, ResultOf, WireDecision, WireProgress, WireProposal } from '@hawser/editor-protocol';
import { ErrorCode, RpcError } from '@hawser/mcp';
import { asError } from '@hawser/unknown-values/thrown';
import type { Decision, HunkMark, PreviousRound, Progress, Proposal, ProposalEffect } from '../../proposal.ts';
import { type DecideResult, type OpenReview, ReviewEnded } from '../../reviewer.ts';
import { restored, type WireForm, wireForm } from './wire-form.ts';

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

interface CarriedTexts {
  members<Name extends string>(name: Name, text: string): { readonly [Member in Name | `${Name}File`]?: string };
  remove(): void;
}

/** One proposal in an editor. Hunks are computed and applied here; the editor names them by their index. */
export class ShownReview {
  readonly #review: OpenReview;
  readonly #channel: ReviewChannel;
  /** The revision that the editor has. */
  #proposal: Proposal;
  #form: WireForm;
  #texts: CarriedTexts | undefined;
  /** Of the last progress. */
  #progressTexts: CarriedTexts | undefined;

  constructor(review: OpenReview, channel: ReviewChannel) {
    this.#review = review;
    this.#channel = channel;
    this.#proposal = review.proposal;
    this.#form = wireForm(this.#proposal.oldText, this.#proposal.newText);
  }

  open(): void {
    this.#review.signal.addEventListener('abort', () => this.#close(), { once: true });
    this.#review.onRefresh(() => this.#refresh());
    this.#send('proposal/show');
    if (this.#proposal.progress !== undefined) this.#sendProgress(this.#proposal.progress);
  }

  async decide(decision: WireDecision, revision: number): Promise<DecideResult> {
    return await this.#review.decide(this.#decisionOf(decision), revision);
  }

  hunksOfEdited({ text, before, choices = [] }: Omit<ParamsOf<'proposal/hunks'>, 'id'>): ResultOf<'proposal/hunks'> {
    const { oldText, newText } = this.#form;
    const hunks = hunksOf(oldText, text);
    const kept = carryChoices(hunksOf(oldText, before ?? newText), hunks, choices.map(choiceOf));
    return { hunks: lineFeedHunks(oldText, text, hunks), choices: kept.map(markOf) };
  }

  mergeEdited({ text: ours, before: base }: Omit<ParamsOf<'proposal/merge'>, 'id'>): ResultOf<'proposal/merge'> {
    const text = mergeLimited({ base, ours, theirs: this.#form.newText });
    return text === undefined ? {} : { text };
  }

  #decisionOf(decision: WireDecision): Decision {
    const noted = decision.notes === undefined ? {} : { notes: decision.notes };
    if (decision.kind !== 'accepted') {
      const { text: unaccepted } = decision;
      const edited = unaccepted === undefined ? {} : { text: restored(unaccepted, this.#form) };
      if (decision.kind === 'rejected') return { kind: 'rejected', ...noted, ...edited };
      return { kind: 'changesRequested', ...noted, ...edited, ...(decision.marks && { marks: decision.marks }) };
    }
    const text = this.#acceptedText(decision);
    return { kind: 'accepted', ...noted, ...(text !== undefined && { text: restored(text, this.#form) }) };
  }

  /** Undefined for the proposal as it is. */
  #acceptedText({ text, hunks: indexes }: Extract<WireDecision, { kind: 'accepted' }>): string | undefined {
    if (indexes === undefined) return text === this.#form.newText ? undefined : text;
    const { oldText, newText } = this.#form;
    const hunks = hunksOf(oldText, text ?? newText);
    const unknown = indexes.find((index) => hunks[index] === undefined);
    if (unknown !== undefined) {
      throw new RpcError(ErrorCode.InvalidParams, `There is no hunk ${unknown}: there are ${hunks.length}`);
    }
    return applyHunks(oldText, hunks, new Set(indexes));
  }

  #refresh(): void {
    const { revision, progress } = this.#proposal;
    this.#proposal = this.#review.proposal;
    if (this.#proposal.revision !== revision) {
      this.#form = wireForm(this.#proposal.oldText, this.#proposal.newText);
      this.#send('proposal/update');
    }
    const now = this.#proposal.progress;
    if (now !== progress) this.#sendProgress(now);
  }

  #send(method: 'proposal/show' | 'proposal/update'): void {
    const { signal } = this.#review;
    const before = this.#texts;
    try {
      this.#texts = this.#channel.carry();
      const sent = this.#channel.show(method, this.#wireProposal(this.#texts), signal);
      sent.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
    before?.remove();
  }

  #wireProposal(texts: CarriedTexts): WireProposal {
    const { id, revision, path, title, agent, base, turn, set, advice, previous, oldText } = this.#proposal;
    const form = this.#form;
    return {
      id,
      revision,
      uri: this.#channel.uriOf(path),
      title,
      agent,
      effect: this.#proposal.effect ?? 'edit',
      base,
      turn,
      ...(set && { set }),
      ...(advice !== undefined && { advice }),
      noteDelivery: this.#proposal.noteDelivery ?? 'words',
      isNewFile: oldText === undefined,
      lineEnd: form.lineEnd,
      hasBom: form.hasBom,
      ...texts.members('oldText', form.oldText),
      ...texts.members('newText', form.newText),
      hunks: lineFeedHunks(form.oldText, form.newText, hunksOf(form.oldText, form.newText)),
      ...(previous && { previous: this.#wireRound(previous, texts) }),
    };
  }

  #wireRound({ round, notes, marks, oldText, newText }: PreviousRound, texts: CarriedTexts) {
    const text = this.#channel.showsRounds ? texts.members('newText', wireForm(oldText, newText).newText) : {};
    return { round, notes, marks, ...text };
  }

  #sendProgress(progress: Progress | undefined): void {
    const { id, revision } = this.#proposal;
    this.#progressTexts?.remove();
    this.#progressTexts = this.#channel.carry();
    this.#channel.progress({ id, revision, progress: wireProgress(progress, this.#form, this.#progressTexts) });
  }

  #close(): void {
    const { reason } = this.#review.signal;
    const outcome =
      reason instanceof ReviewEnded ? reason.outcome : { kind: 'withdrawn' as const, reason: String(reason) };
    this.#channel.close({ id: this.#proposal.id, outcome });
    this.#texts?.remove();
    this.#progressTexts?.remove();
  }

  #fail(error: unknown): void {
    if (this.#review.signal.aborted || this.#channel.hasEnded) return;
    this.#review.fail(asError(error));
  }
}

function wireProgress(progress: Progress | undefined, form: WireForm, texts: CarriedTexts): WireProgress {
  if (progress === undefined) return { kind: 'undecided' };
  if (progress.kind !== 'failed') return progress;
  const { reason, text } = progress;
  return { kind: 'failed', reason, ...texts.members('text', wireText(text, form)) };
}

/** A text of the file as the editor has it. */
function wireText(text: string, { lineEnd, hasBom }: WireForm): string {
  const bare = hasBom && text.startsWith('\ufeff') ? text.slice(1) : text;
  return lineEnd === '\r\n' ? bare.replaceAll('\r\n', '\n') : bare;
}

function choiceOf(mark: HunkMark): ChoiceOnHunk {
  return mark === 'undecided' ? '' : mark;
}

function markOf(choice: ChoiceOnHunk): HunkMark {
  return choice === '' ? 'undecided' : choice;
}
