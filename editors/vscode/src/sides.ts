import * as vscode from 'vscode';
import { NEW, OLD, sideOf } from './proposal-uris.ts';
import type { OpenProposal, Proposals } from './proposals.ts';

/**
 * The texts of both sides. The right one becomes editable when its tab is active and is never dirty, so closing it asks
 * nothing; the left one is a file system that is read-only, because the same command would make a content provider's
 * editable.
 */
export class Sides implements vscode.Disposable {
  readonly #proposals: Proposals;
  readonly #rights = new vscode.EventEmitter<vscode.Uri>();
  readonly #lefts = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #stops: vscode.Disposable[];

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
    this.#stops = [
      this.#rights,
      this.#lefts,
      vscode.workspace.registerTextDocumentContentProvider(NEW, {
        onDidChange: this.#rights.event,
        provideTextDocumentContent: ({ authority }) => this.#proposals.get(authority)?.text ?? '',
      }),
      vscode.workspace.registerFileSystemProvider(OLD, this.#left(), { isReadonly: true, isCaseSensitive: true }),
      vscode.window.onDidChangeActiveTextEditor(() => this.makeEditable()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.makeEditable()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.makeEditable()),
      // Whatever came in between: where the user clicks, the user can type.
      vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
        const isClick = kind === vscode.TextEditorSelectionChangeKind.Mouse;
        if (isClick && textEditor.document.uri.scheme === NEW) void this.makeEditable();
      }),
    ];
  }

  /** A new revision: the right side is read again unless the user has edited it. */
  refresh(proposal: OpenProposal): void {
    this.#lefts.fire([{ type: vscode.FileChangeType.Changed, uri: sideOf(proposal, OLD) }]);
    if (!proposal.isEdited) this.refreshRight(proposal);
  }

  refreshRight(proposal: OpenProposal): void {
    this.#rights.fire(sideOf(proposal, NEW));
  }

  /** The command acts on the active editor. Running it twice is harmless: a tab can appear before its editor does. */
  async makeEditable(): Promise<void> {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputTextDiff) || input.modified.scheme !== NEW) return;
    await vscode.commands.executeCommand('workbench.action.files.setActiveEditorWriteableInSession');
  }

  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
  }

  #left(): vscode.FileSystemProvider {
    const refuse = () => {
      throw vscode.FileSystemError.NoPermissions('The original is not edited here');
    };
    const find = (uri: vscode.Uri) => {
      const proposal = this.#proposals.get(uri.authority);
      if (proposal === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return proposal;
    };
    // With a byte order mark, whatever encoding the user has set for files.
    const bytesOf = ({ oldText }: OpenProposal) => new TextEncoder().encode(`\ufeff${oldText}`);
    return {
      onDidChangeFile: this.#lefts.event,
      watch: () => new vscode.Disposable(() => {}),
      stat: (uri) => {
        const proposal = find(uri);
        const mtime = proposal.wire.revision + 1;
        return { type: vscode.FileType.File, ctime: 0, mtime, size: bytesOf(proposal).length };
      },
      readFile: (uri) => bytesOf(find(uri)),
      readDirectory: () => [],
      createDirectory: refuse,
      writeFile: refuse,
      delete: refuse,
      rename: refuse,
    };
  }
}
