import { fileURLToPath } from 'node:url';
import type { LanguageMethod } from '@hawser/editor-protocol';
import * as vscode from 'vscode';
import { rangeFrom, textDocumentAt, wireRange, wireUri } from './document-state.ts';

/** What agents ask the language extensions for, in the words of LSP. */
export const languageRequests: Readonly<Record<LanguageMethod, (params: unknown) => Promise<unknown>>> = {
  'textDocument/definition': async (params) =>
    locations(await inDocument('vscode.executeDefinitionProvider', params, positionIn(params))),
  'textDocument/references': async (params) =>
    locations(await inDocument('vscode.executeReferenceProvider', params, positionIn(params))),
  'textDocument/hover': async (params) => {
    const hovers = await inDocument<vscode.Hover[]>('vscode.executeHoverProvider', params, positionIn(params));
    const value = (hovers ?? []).flatMap(({ contents }) => contents.map(markdownOf)).filter((text) => text !== '');
    const range = hovers?.find((hover) => hover.range !== undefined)?.range;
    if (value.length === 0) return null;
    return { contents: { kind: 'markdown', value: value.join('\n\n') }, ...(range && { range: wireRange(range) }) };
  },
  'textDocument/documentSymbol': async (params) => {
    const found = await inDocument<Symbols>('vscode.executeDocumentSymbolProvider', params);
    return (found ?? []).map((each) => ('children' in each ? symbolOf(each) : informationOf(each)));
  },
  'workspace/symbol': async (params) => {
    const { query } = params as { readonly query: string };
    const command = 'vscode.executeWorkspaceSymbolProvider';
    return ((await vscode.commands.executeCommand<vscode.SymbolInformation[]>(command, query)) ?? []).map(
      informationOf,
    );
  },
  'textDocument/rename': async (params) => {
    const { newName } = params as { readonly newName: string };
    const command = 'vscode.executeDocumentRenameProvider';
    const edit = await inDocument<vscode.WorkspaceEdit>(command, params, positionIn(params), newName);
    return edit === undefined ? null : changesOf(edit);
  },
  'textDocument/codeAction': async (params) => {
    const { range, context } = params as { readonly range: WireRange; readonly context: { only?: string[] } };
    const ask = (kind?: string) =>
      inDocument<vscode.CodeAction[]>('vscode.executeCodeActionProvider', params, rangeFrom(range), kind, MAX_ACTIONS);
    const kinds = context.only ?? [undefined];
    const actions = (await Promise.all(kinds.map(ask))).flatMap((found) => found ?? []);
    // A command would change the files itself.
    return actions
      .filter(({ edit }) => edit !== undefined && edit.size > 0)
      .map(({ title, kind, isPreferred, edit }) => ({
        title,
        ...(kind && { kind: kind.value }),
        isPreferred: isPreferred === true,
        edit: changesOf(edit as vscode.WorkspaceEdit),
      }));
  },
};

type WireRange = Parameters<typeof rangeFrom>[0];
type Symbols = (vscode.DocumentSymbol | vscode.SymbolInformation)[];

/** How many actions have their edits computed. */
const MAX_ACTIONS = 20;

/** Asks the providers of an open document. Documents of a language that no extension knows are refused. */
async function inDocument<Result>(command: string, params: unknown, ...rest: unknown[]): Promise<Result | undefined> {
  const path = fileURLToPath((params as { readonly textDocument: { readonly uri: string } }).textDocument.uri);
  const document = textDocumentAt(path) ?? (await vscode.workspace.openTextDocument(path));
  if (document.languageId === 'plaintext') throw new Error(`No extension knows the language of ${path}`);
  return await vscode.commands.executeCommand<Result | undefined>(command, document.uri, ...rest);
}

function positionIn(params: unknown): vscode.Position {
  const { line, character } = (params as { readonly position: vscode.Position }).position;
  return new vscode.Position(line, character);
}

function locations(found: unknown): object[] {
  return ((found as (vscode.Location | vscode.LocationLink)[] | undefined) ?? []).map((each) =>
    'targetUri' in each
      ? { uri: wireUri(each.targetUri), range: wireRange(each.targetSelectionRange ?? each.targetRange) }
      : { uri: wireUri(each.uri), range: wireRange(each.range) },
  );
}

function markdownOf(content: vscode.MarkdownString | vscode.MarkedString): string {
  if (typeof content === 'string') return content;
  return 'language' in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
}

function symbolOf({ name, detail, kind, range, selectionRange, children }: vscode.DocumentSymbol): object {
  return {
    name,
    detail,
    // LSP counts kinds from 1.
    kind: kind + 1,
    range: wireRange(range),
    selectionRange: wireRange(selectionRange),
    children: children.map(symbolOf),
  };
}

function informationOf({ name, containerName, kind, location }: vscode.SymbolInformation): object {
  return {
    name,
    kind: kind + 1,
    containerName,
    location: { uri: wireUri(location.uri), range: wireRange(location.range) },
  };
}

function changesOf(edit: vscode.WorkspaceEdit): object {
  const files = edit.entries().map(([uri, edits]) => {
    return [wireUri(uri), edits.map(({ range, newText }) => ({ range: wireRange(range), newText }))];
  });
  const changes = Object.fromEntries(files);
  // Files that are made, moved or deleted are counted and not listed.
  return edit.size > files.length ? { documentChanges: [{ kind: 'other' }] } : { changes };
}
