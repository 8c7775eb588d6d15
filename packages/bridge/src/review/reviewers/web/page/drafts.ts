import { isObject } from '@hawser/unknown-values/objects';
import type { Note } from '../../../proposal.ts';
import type { ReviewedChange } from '../../../viewing/reviewed-change.ts';

const STORAGE_KEY = 'drafts';
/** Browsers keep about five million characters. */
const MAX_CHARACTERS = 2_000_000;

interface Draft {
  readonly notes: readonly Note[];
  readonly edited?: string;
}

/** What the user has typed and not sent: it is there again after the page was loaded anew, or the browser was short of memory. */
export class Drafts {
  /** Of the field that is open. */
  typed = '';
  #saved = stored();
  #last = '';

  /** What is in the editor, before it is the user's version; none once it is. */
  #editing: { readonly id: string; readonly text: string } | undefined;
  #changes: readonly ReviewedChange[] = [];

  editing(id: string, text: string | undefined): void {
    this.#editing = text === undefined ? undefined : { id, text };
    this.keep(this.#changes);
  }

  keep(changes: readonly ReviewedChange[]): void {
    this.#changes = changes;
    const drafts = changes.flatMap(({ id, outcome, notes, edited }) => {
      const text = this.#editing?.id === id ? this.#editing.text : edited;
      if (outcome !== undefined || (notes.length === 0 && text === undefined)) return [];
      return [[id, { notes, ...(text !== undefined && { edited: text }) }] as const];
    });
    const text = JSON.stringify(Object.fromEntries(drafts));
    if (text === this.#last || text.length > MAX_CHARACTERS) return;
    this.#last = text;
    try {
      sessionStorage.setItem(STORAGE_KEY, text);
    } catch {
      // It is full; what was typed is in this page.
    }
  }

  restore(change: ReviewedChange): void {
    const draft = this.#saved.get(change.id);
    if (draft === undefined) return;
    this.#saved.delete(change.id);
    if (draft.edited !== undefined) change.edit(draft.edited);
    for (const note of draft.notes) change.addNote(note);
  }
}

function stored(): Map<string, Draft> {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}');
    // This page wrote it.
    return new Map(isObject(found) ? (Object.entries(found) as [string, Draft][]) : []);
  } catch {
    return new Map();
  }
}
