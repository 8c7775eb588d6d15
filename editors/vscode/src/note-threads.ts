import * as vscode from 'vscode';
import { isSide, NEW, OLD, sideOf } from './proposal-uris.ts';
import type { Note, OpenProposal, Proposals } from './proposals.ts';

const AUTHOR = { name: 'You' };

/** Notes on lines of a proposal, as comment threads. */
export class NoteThreads implements vscode.Disposable {
  readonly #controller = vscode.comments.createCommentController('hawser', 'Notes for the agent');
  readonly #threads = new Map<string, vscode.CommentThread[]>();
  readonly #proposals: Proposals;

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
    this.#controller.options = { prompt: 'Write a note for the agent', placeHolder: 'What should be different here?' };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => {
        const proposal = isSide(document.uri) ? this.#proposals.get(document.uri.authority) : undefined;
        const takesNotes = proposal !== undefined && proposal.wire.noteDelivery !== 'none';
        return takesNotes ? [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)] : [];
      },
    };
  }

  /** Shows the notes that the user had written before a reload, and those of the round before. */
  restore(proposal: OpenProposal): void {
    for (const note of proposal.notes) if (note.lines !== undefined) this.#create(proposal, note);
    const { previous } = proposal.wire;
    for (const note of previous?.notes ?? []) {
      const thread = this.#create(proposal, note);
      thread.contextValue = 'earlier';
      thread.label = `You asked in round ${previous?.round}`;
    }
  }

  /** Writes a note into the thread that the user has begun. */
  add({ thread, text }: vscode.CommentReply): OpenProposal | undefined {
    const proposal = this.#proposals.get(thread.uri.authority);
    if (proposal === undefined || text.trim() === '') return undefined;
    thread.comments = [...thread.comments, commentOf(text)];
    this.#adopt(proposal, thread);
    return this.#changed(proposal);
  }

  removeThread(thread: vscode.CommentThread): OpenProposal | undefined {
    const proposal = this.#proposals.get(thread.uri.authority);
    thread.dispose();
    if (proposal === undefined) return undefined;
    const others = (this.#threads.get(proposal.id) ?? []).filter((each) => each !== thread);
    this.#threads.set(proposal.id, others);
    return this.#changed(proposal);
  }

  remove(id: string): void {
    for (const thread of this.#threads.get(id) ?? []) thread.dispose();
    this.#threads.delete(id);
  }

  dispose(): void {
    this.#controller.dispose();
  }

  #create(proposal: OpenProposal, { text, lines }: Note): vscode.CommentThread {
    const uri = sideOf(proposal, lines?.side === 'old' ? OLD : NEW);
    const first = lines?.first ?? 0;
    const range = new vscode.Range(first, 0, first + Math.max(1, lines?.count ?? 1) - 1, 0);
    const thread = this.#controller.createCommentThread(uri, range, [commentOf(text)]);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.#adopt(proposal, thread);
    return thread;
  }

  #adopt(proposal: OpenProposal, thread: vscode.CommentThread): void {
    const threads = this.#threads.get(proposal.id) ?? [];
    if (threads.includes(thread)) return;
    thread.label = 'Note for the agent';
    thread.canReply = false;
    thread.contextValue = 'note';
    this.#threads.set(proposal.id, [...threads, thread]);
  }

  #changed(proposal: OpenProposal): OpenProposal {
    const threads = this.#threads.get(proposal.id) ?? [];
    proposal.notes = threads.filter(({ contextValue }) => contextValue === 'note').map(noteOf);
    return proposal;
  }
}

function commentOf(text: string): vscode.Comment {
  return { author: AUTHOR, body: text, mode: vscode.CommentMode.Preview };
}

function noteOf({ uri, range, comments }: vscode.CommentThread): Note {
  const text = comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join('\n');
  if (range === undefined) return { text };
  const count = range.end.line - range.start.line + 1;
  return { text, lines: { side: uri.scheme === OLD ? 'old' : 'new', first: range.start.line, count } };
}
