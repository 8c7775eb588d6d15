import type { ParamsOf } from '@hawser/editor-protocol';
import * as vscode from 'vscode';
import { isDocument, openDocuments, selectionOf, wireDiagnostics, wireUri } from './document-state.ts';
import type { Wire } from './wire.ts';

/** How long the user pauses before agents learn of a selection. */
const PAUSE_MS = 50;

/** Tells the bridge what is open, selected and wrong. */
export class EditorState implements vscode.Disposable {
  readonly #wire: Wire;
  readonly #folders: () => readonly string[];
  readonly #stops: vscode.Disposable[] = [];
  /** The document that the user looks at, also while in a terminal or a tree. */
  #active: vscode.TextEditor | undefined;
  #activeUri: string | undefined;
  #sent = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(wire: Wire, folders: () => readonly string[]) {
    this.#wire = wire;
    this.#folders = folders;
    const soon = () => this.#sendSoon();
    this.#stops.push(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.#activate(editor);
        soon();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.#activate(textEditor);
        soon();
      }),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.workspace.onDidOpenTextDocument(soon),
      vscode.workspace.onDidCloseTextDocument(soon),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isDocument(document.uri) && soon()),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === 'file') wire.notify('editor/didSave', { uri: wireUri(uri) });
        this.send();
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.#sendDiagnostics(uris)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.sendFolders()),
    );
    this.#activate(vscode.window.activeTextEditor);
    this.send();
    this.#sendDiagnostics(vscode.languages.getDiagnostics().flatMap(([uri, found]) => (found.length > 0 ? uri : [])));
  }

  /** Sends what has changed now. Called before a request that has changed something is answered. */
  send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const documents = openDocuments(this.#activeUri);
    if (!documents.some(({ isActive }) => isActive)) this.#activeUri = undefined;
    const state = JSON.stringify(documents);
    if (state !== this.#sent) this.#wire.notify('editor/didChangeDocuments', { documents });
    this.#sent = state;
    this.#wire.notify('editor/didChangeSelection', this.#selection());
  }

  sendFolders(): void {
    const workspaceFolders = this.#folders().map((path) => ({ uri: wireUri(vscode.Uri.file(path)) }));
    if (workspaceFolders.length > 0) this.#wire.notify('editor/didChangeFolders', { workspaceFolders });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop.dispose();
  }

  #activate(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !isDocument(editor.document.uri)) return;
    this.#active = editor;
    this.#activeUri = wireUri(editor.document.uri);
  }

  #selection(): ParamsOf<'editor/didChangeSelection'> {
    const editor = this.#active;
    if (editor === undefined || this.#activeUri === undefined || editor.document.isClosed) return {};
    return selectionOf(editor);
  }

  #sendSoon(): void {
    this.#timer ??= setTimeout(() => this.send(), PAUSE_MS);
  }

  #sendDiagnostics(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      if (uri.scheme === 'file') this.#wire.notify('textDocument/publishDiagnostics', wireDiagnostics(uri));
    }
  }
}
