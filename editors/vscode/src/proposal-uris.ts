import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import type { OpenProposal } from './proposals.ts';

/** The schemes of the two sides of a diff. The authority is the id of the proposal; the path gives language and icon. */
export const OLD = 'hawser-old';
export const NEW = 'hawser-new';

export function sideOf({ id, wire }: OpenProposal, scheme: typeof OLD | typeof NEW): vscode.Uri {
  const path = fileOf(wire.uri).path;
  return vscode.Uri.from({ scheme, authority: id, path: wire.effect === 'command' ? `${path}/command.sh` : path });
}

export function fileOf(uri: string): vscode.Uri {
  return vscode.Uri.file(fileURLToPath(uri));
}

export function isSide(uri: vscode.Uri | undefined): boolean {
  return uri?.scheme === NEW || uri?.scheme === OLD;
}

/** The proposal that a tab shows. */
export function idOfTab(tab: vscode.Tab | undefined): string | undefined {
  const input = tab?.input;
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : input instanceof vscode.TabInputText
        ? input.uri
        : undefined;
  return isSide(uri) ? uri?.authority : undefined;
}

export function nameOf({ wire }: OpenProposal): string {
  const { uri, effect, title } = wire;
  return effect === 'command' ? title : (fileOf(uri).path.split('/').at(-1) ?? '');
}

export function rightDocument(proposal: OpenProposal): vscode.TextDocument | undefined {
  const uri = sideOf(proposal, NEW).toString();
  return vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri);
}

export function wholeRange(document: vscode.TextDocument): vscode.Range {
  return new vscode.Range(0, 0, document.lineCount, 0);
}
