import { statSync } from 'node:fs';
import * as vscode from 'vscode';

/** Which state of its file a document has. VS Code itself overwrites a change of the same length without a word. */
export class FileStamps implements vscode.Disposable {
  readonly #stamps = new Map<string, string>();
  readonly #stops: readonly vscode.Disposable[];

  constructor() {
    const note = (document: vscode.TextDocument) => {
      if (document.uri.scheme === 'file') this.#stamps.set(document.uri.fsPath, stampOf(document.uri.fsPath));
    };
    for (const document of vscode.workspace.textDocuments) if (!document.isDirty) note(document);
    this.#stops = [
      vscode.workspace.onDidOpenTextDocument(note),
      vscode.workspace.onDidSaveTextDocument(note),
      // It was read again.
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.isDirty || note(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#stamps.delete(uri.fsPath)),
    ];
  }

  /** Whether the file is the one that the document was read from. */
  isCurrent({ uri }: vscode.TextDocument): boolean {
    return (this.#stamps.get(uri.fsPath) ?? stampOf(uri.fsPath)) === stampOf(uri.fsPath);
  }

  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
  }
}

function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}
