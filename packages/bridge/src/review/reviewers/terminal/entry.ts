import { isTextLine } from '@hawser/diffs/diff-lines';
import type { Layout } from '@hawser/diffs/items';
import type { NotedLines } from '../../proposal.ts';
import type { Mark } from '../../viewing/hunk-choices.ts';
import { ReviewedChange } from '../../viewing/reviewed-change.ts';
import { type Colouring, Decoration } from './decoration.ts';
import { Page } from './page.ts';

/** A change with its page in the terminal, which has a cursor. */
export class Entry extends ReviewedChange {
  /** The file in which an editor may still save the user's version. */
  draft: { readonly file: string; readonly text: string } | undefined;
  #page: { readonly page: Page; readonly layout: Layout; readonly lines: object } | undefined;
  #decoration: { readonly decoration: Decoration; readonly lines: object } | undefined;

  /** The page as it was last laid out. */
  get page(): Page {
    return this.pageIn(this.#page?.layout ?? 'unified');
  }

  /** Made when it is first looked at. The cursor stays at its line, unless the texts are others. */
  pageIn(layout: Layout): Page {
    const [items, lines] = [this.itemsIn(layout), this.lines];
    if (this.#page?.page.items === items) return this.#page.page;
    const page = new Page(items);
    const line = this.#page?.lines === lines ? this.#page.page.line : undefined;
    if (isTextLine(line)) page.toItem(items.indexOf(line));
    this.#page = { page, layout, lines };
    return page;
  }

  decorationWith(colouring: Colouring, onReady: () => void): Decoration {
    const { lines } = this;
    if (this.#decoration?.lines !== lines) {
      const { path } = this.proposal;
      const texts = { path, oldText: this.before, newText: this.newText };
      this.#decoration = { decoration: new Decoration(texts, colouring, onReady), lines };
    }
    return this.#decoration.decoration;
  }

  /** The highest line number on either side. */
  get lineCount(): number {
    return Math.max(this.lines.oldCount, this.lines.newCount);
  }

  /** Marks a hunk of the page and goes to the next one without a mark. False if nothing of the change is there. */
  markHunk(hunk: number, mark: Mark): boolean {
    if (!this.setMark(hunk, mark)) return false;
    const next = this.undecidedAfter(hunk);
    if (next !== undefined) this.page.toHunk(next);
    return true;
  }

  /** Takes the last mark or split back. False if there is none. */
  undo(): boolean {
    const undone = this.takeBack();
    if (typeof undone === 'number') this.page.toHunk(undone);
    return undone !== undefined;
  }

  /** Removes the note at the cursor. False if there is none. */
  removeNoteAtCursor(): boolean {
    const { line } = this.page;
    return this.removeNote(line?.kind === 'note' ? line.note : undefined);
  }

  /** The line at the cursor, or the lines of the hunk there; undefined if a note can't be about them. */
  linesAt(what: 'line' | 'hunk'): NotedLines | undefined {
    return this.notedLines(what, this.page);
  }
}
