import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Document, ParamsOf, Range } from '@hawser/editor-protocol';
import * as vscode from 'vscode';

const MAX_SELECTED = 1024 * 1024;

/** Files and texts that were never saved; not what other extensions and we ourselves show. */
export function isDocument(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || uri.scheme === 'untitled';
}

/** The path of a file with links resolved, as agents name it. */
export function realPath(uri: vscode.Uri): string {
  try {
    return realpathSync(uri.fsPath);
  } catch {
    return uri.fsPath;
  }
}

export function wireUri(uri: vscode.Uri): string {
  return uri.scheme === 'untitled' ? `untitled:${uri.path}` : pathToFileURL(realPath(uri)).href;
}

export function wireRange({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

export function rangeFrom({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The document that a tab shows and the user can edit. */
function documentOf({ input }: vscode.Tab): vscode.Uri | undefined {
  const uri =
    input instanceof vscode.TabInputText
      ? input.uri
      : input instanceof vscode.TabInputTextDiff
        ? input.modified
        : undefined;
  return uri !== undefined && isDocument(uri) ? uri : undefined;
}

export function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

export function textDocumentAt(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((each) => each.uri.scheme === 'file' && realPath(each.uri) === path);
}

export function tabsAt(path: string): vscode.Tab[] {
  return allTabs().filter((tab) => {
    const uri = documentOf(tab);
    return uri?.scheme === 'file' && realPath(uri) === path;
  });
}

/** What is open, each once. `active` is the wire's name of the one that the user looks at. */
export function openDocuments(active: string | undefined): Document[] {
  const documents = new Map<string, Document>();
  for (const tab of allTabs()) {
    const uri = documentOf(tab);
    if (uri === undefined) continue;
    const name = wireUri(uri);
    const loaded = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    documents.set(name, {
      uri: name,
      isActive: name === active,
      isDirty: loaded?.isDirty ?? tab.isDirty,
      isUntitled: uri.scheme === 'untitled',
      ...(loaded && { lineCount: loaded.lineCount, languageId: loaded.languageId }),
    });
  }
  return [...documents.values()];
}

export function selectionOf({ document, selection }: vscode.TextEditor): ParamsOf<'editor/didChangeSelection'> {
  const text = document.getText(selection);
  const uri = wireUri(document.uri);
  if (text.length <= MAX_SELECTED) return { uri, range: wireRange(selection), text };
  const end = document.positionAt(document.offsetAt(selection.start) + MAX_SELECTED);
  const cut = new vscode.Range(selection.start, end);
  return { uri, range: wireRange(cut), text: document.getText(cut) };
}

const SEVERITIES = {
  [vscode.DiagnosticSeverity.Error]: 1,
  [vscode.DiagnosticSeverity.Warning]: 2,
  [vscode.DiagnosticSeverity.Information]: 3,
  [vscode.DiagnosticSeverity.Hint]: 4,
} as const;

export function wireDiagnostics(uri: vscode.Uri): ParamsOf<'textDocument/publishDiagnostics'> {
  const diagnostics = vscode.languages.getDiagnostics(uri).map(({ range, message, severity, source, code }) => ({
    range: wireRange(range),
    message,
    severity: SEVERITIES[severity],
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code: typeof code === 'object' ? code.value : code }),
  }));
  return { uri: wireUri(uri), diagnostics };
}
