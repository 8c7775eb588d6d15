import { isObject } from '@hawser/unknown-values/objects';
import type { Note } from '../../../proposal.ts';
import type { ReviewedChange } from '../../../viewing/reviewed-change.ts';

const STORAGE_KEY = 'drafts';
/** Browsers keep about five million characters. */
const MAX_CHARACTERS = 2_000_000;

interface Draft {
  readonly notes: readonly Note[];
  readonly edited?: string;
  /** In the editor, and not used yet. */
  readonly typed?: string;
}

/** What the user has typed and not sent: it is there again after the page was loaded anew, or the browser was short of memory. */
export class Drafts {
  /** Of the field that is open. */
  typed = '';
  #saved = stored();
  #last = '';

  /** By change: what was typed in the editor, before it is the user's version. */
  readonly #edits = new Map<string, string>();
  #changes: readonly ReviewedChange[] = [];

  editOf({ id }: ReviewedChange): string | undefined {
    return this.#edits.get(id);
  }

  setEdit({ id }: ReviewedChange, text: string): void {
    this.#edits.set(id, text);
    this.keep(this.#changes);
  }

  /** It is the user's version now, or in a file. */
  dropEdit({ id }: ReviewedChange): void {
    this.#edits.delete(id);
    this.keep(this.#changes);
  }

  keep(changes: readonly ReviewedChange[]): void {
    this.#changes = changes;
    const drafts = changes.flatMap(({ id, outcome, notes, edited }) => {
      const typed = this.#edits.get(id);
      if (outcome !== undefined || (notes.length === 0 && (edited ?? typed) === undefined)) return [];
      const draft = { notes, ...(edited !== undefined && { edited }), ...(typed !== undefined && { typed }) };
      return [[id, draft satisfies Draft] as const];
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
    if (draft.typed !== undefined) this.#edits.set(change.id, draft.typed);
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
