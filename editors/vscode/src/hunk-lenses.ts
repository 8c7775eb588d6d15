import * as vscode from 'vscode';
import { NEW, rightDocument } from './proposal-uris.ts';
import type { OpenProposal, Proposals } from './proposals.ts';
import { hunkAt, linesAt, nextHunkLine } from './text-edits.ts';

type Hunks = readonly (readonly number[])[];

/** Buttons over each hunk of a proposal, and what keys do with hunks. */
export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #proposals: Proposals;
  readonly #hunksOf: (proposal: OpenProposal) => Promise<Hunks | undefined>;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changes.event;
  readonly #stop: vscode.Disposable;

  constructor(proposals: Proposals, hunksOf: (proposal: OpenProposal) => Promise<Hunks | undefined>) {
    this.#proposals = proposals;
    this.#hunksOf = hunksOf;
    this.#stop = vscode.languages.registerCodeLensProvider({ scheme: NEW }, this);
  }

  refresh(): void {
    this.#changes.fire();
  }

  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const proposal = this.#proposals.get(uri.authority);
    const hunks = proposal && (await this.#hunksOf(proposal).catch(() => undefined));
    if (proposal === undefined) return [];
    const lens = (line: number, title: string, command: string, ...rest: unknown[]) =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: [uri, ...rest] });
    const first = hunks?.[0]?.[2] ?? 0;
    return [
      lens(first, '$(check) Accept file', 'hawser.accept'),
      lens(first, '$(close) Reject file', 'hawser.reject'),
      ...(hunks ?? []).map(([, , line = 0], index) =>
        lens(line, `$(discard) Reject change ${index + 1} of ${hunks?.length}`, 'hawser.rejectHunk', index),
      ),
    ];
  }

  /** Puts the old lines back where the new ones are. Undo brings the new ones back. */
  async reject(proposal: OpenProposal, which: { index: number } | { line: number }): Promise<void> {
    const document = rightDocument(proposal);
    const hunks = await this.#hunksOf(proposal);
    if (document === undefined || hunks === undefined) return;
    const index = 'index' in which ? which.index : hunkAt(hunks, which.line);
    const [oldLine = 0, oldCount = 0, newLine = 0, newCount = 0] = hunks[index] ?? [];
    if (hunks[index] === undefined) return;
    const edit = new vscode.WorkspaceEdit();
    const range = document.validateRange(new vscode.Range(newLine, 0, newLine + newCount, 0));
    edit.replace(document.uri, range, linesAt(proposal.oldText, oldLine, oldCount));
    if (!(await vscode.workspace.applyEdit(edit))) {
      void vscode.window.showWarningMessage('This change can be rejected in the diff of its file: open it first.');
    }
  }

  /** Moves the cursor; false at the last one. */
  async go(proposal: OpenProposal, editor: vscode.TextEditor, direction: 'next' | 'previous'): Promise<boolean> {
    const hunks = await this.#hunksOf(proposal);
    const line = nextHunkLine(hunks ?? [], editor.selection.active.line, direction);
    if (line === undefined) return false;
    const position = editor.document.validatePosition(new vscode.Position(line, 0));
    editor.selection = new vscode.Selection(position, position);
    editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return true;
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changes.dispose();
  }
}
