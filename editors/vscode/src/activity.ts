import * as vscode from 'vscode';
import { isDocument } from './document-state.ts';

/** How long after the last key or click in an editor the user counts as idle there. */
const IDLE_MS = 5000;

/** Whether the user works in an editor now. Keys in terminals and views are not seen. */
export class Activity implements vscode.Disposable {
  #last = Number.NEGATIVE_INFINITY;
  readonly #stops: readonly vscode.Disposable[];

  constructor() {
    const note = () => {
      this.#last = performance.now();
    };
    this.#stops = [
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        const isUser =
          kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
        if (isUser) note();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const isTyped = document === vscode.window.activeTextEditor?.document && isDocument(document.uri);
        if (isTyped && contentChanges.length > 0 && document.isDirty) note();
      }),
    ];
  }

  get isBusy(): boolean {
    return performance.now() - this.#last < IDLE_MS;
  }

  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
  }
}

/** The column in which a diff hides no terminal: agents run there, and the user types to them. */
export function columnForDiffs(): vscode.ViewColumn {
  const isTerminal = (group: vscode.TabGroup) => group.activeTab?.input instanceof vscode.TabInputTerminal;
  const { activeTabGroup, all } = vscode.window.tabGroups;
  if (!isTerminal(activeTabGroup)) return activeTabGroup.viewColumn;
  return all.find((group) => !isTerminal(group))?.viewColumn ?? vscode.ViewColumn.Beside;
}
