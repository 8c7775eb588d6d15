import type { ChoiceOnHunk } from '@hawser/diffs/carry-choices';
import { type Hunk, hunksOf } from '@hawser/diffs/hunks';
import { lineFeedHunks } from '@hawser/diffs/line-feed-hunks';
import type { ParamsOf, ResultOf, WireProgress, WireProposal } from '@hawser/editor-protocol';
import type { HunkMark, PreviousRound, Progress, Proposal } from '../../proposal.ts';
import { marksFromBefore } from '../../rounds.ts';
import { noteLines } from './note-lines.ts';
import { type WireForm, wireForm } from './wire-form.ts';

/** The members of a message for one text: the text itself, or the file that contains it. */
export type TextMembers<Name extends string> = { readonly [Member in Name | `${Name}File`]?: string };

/** The texts of one message. Those that don't go into it are in files until `remove`. */
export interface CarriedTexts {
  members<Name extends string>(name: Name, text: string): TextMembers<Name>;
  remove(): void;
}

/** A revision of a proposal as the editor has it. */
export interface ShownRevision {
  readonly proposal: Proposal;
  readonly form: WireForm;
  readonly hunks: readonly Hunk[];
}

export function shownRevision(proposal: Proposal): ShownRevision {
  const form = wireForm(proposal.oldText, proposal.newText);
  return { proposal, form, hunks: hunksOf(form.oldText, form.newText) };
}

export function wireProposal(
  { proposal, form, hunks }: ShownRevision,
  uri: string,
  texts: CarriedTexts,
  showsRounds: boolean,
): WireProposal {
  const { id, revision, title, agent, base, turn, set, advice, previous, oldText } = proposal;
  return {
    id,
    revision,
    uri,
    title,
    agent,
    effect: proposal.effect ?? 'edit',
    base,
    turn,
    ...(set && { set }),
    ...(advice !== undefined && { advice }),
    noteDelivery: proposal.noteDelivery ?? 'words',
    isNewFile: oldText === undefined,
    lineEnd: form.lineEnd,
    hasBom: form.hasBom,
    ...texts.members('oldText', form.oldText),
    ...texts.members('newText', form.newText),
    hunks: lineFeedHunks(form.oldText, form.newText, hunks),
    ...(previous && {
      marks: marksFromBefore(previous, hunksOf(oldText ?? '', proposal.newText)),
      previous: wireRound(previous, form.newText, texts, showsRounds),
    }),
  };
}

function wireRound(previous: PreviousRound, newText: string, texts: CarriedTexts, showsRounds: boolean) {
  const { round, notes, marks } = previous;
  if (!showsRounds) return { round, notes, marks };
  return {
    round,
    notes,
    marks,
    ...texts.members('newText', roundText(previous)),
    since: sinceRound(previous, newText),
  };
}

/** What has changed since a round, for an editor that shows it. */
export function sinceRound(
  previous: PreviousRound,
  newText: string,
): NonNullable<ResultOf<'proposal/hunks'>['previous']> {
  const before = roundText(previous);
  return {
    hunks: lineFeedHunks(before, newText, hunksOf(before, newText)),
    noteLines: noteLines(previous.notes, before, newText),
  };
}

function roundText({ oldText, newText }: PreviousRound): string {
  return wireForm(oldText, newText).newText;
}

export function wireProgress(
  { id, revision, progress }: Proposal,
  form: WireForm,
  texts: CarriedTexts,
): ParamsOf<'proposal/progress'> {
  return { id, revision, progress: progressOf(progress, form, texts) };
}

function progressOf(progress: Progress | undefined, form: WireForm, texts: CarriedTexts): WireProgress {
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

export function choiceOf(mark: HunkMark): ChoiceOnHunk {
  return mark === 'undecided' ? '' : mark;
}

export function markOf(choice: ChoiceOnHunk): HunkMark {
  return choice === '' ? 'undecided' : choice;
}
