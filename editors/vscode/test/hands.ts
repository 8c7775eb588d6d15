import { renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EditorCapabilities, ParamsOf } from '@hawser/editor-protocol';
import * as vscode from 'vscode';
import { allTabs, rangeFrom, textDocumentAt } from '../src/document-state.ts';
import { HawserWindow } from '../src/hawser-window.ts';
import { languageRequests } from '../src/language.ts';
import { NEW, OLD, rightDocument, sideOf, wholeRange } from '../src/proposal-uris.ts';
import type { OpenProposal } from '../src/proposals.ts';
import type { WireHandlers } from '../src/wire.ts';

// The extension with the hands of a user, for the conformance kit: one window serves all its tests. Each test connects to
// the socket of HAWSER_HANDS and names its folder and the socket of its bridge; the end of that connection ends it.

interface Start {
  readonly folder: string;
  readonly socket: string;
}

export function activate(context: vscode.ExtensionContext): void {
  const path = process.env.HAWSER_HANDS;
  if (path === undefined) return;
  rmSync(`${path}.new`, { force: true });
  let before = Promise.resolve();
  const server = createServer((test) => {
    test.on('error', () => {});
    createInterface({ input: test }).once('line', (line) => {
      before = before.then(() => runTest(test, JSON.parse(line), context)).catch((error) => console.error(error));
    });
  });
  // A socket has its name before it can be connected to.
  server.listen(`${path}.new`, () => renameSync(`${path}.new`, path));
  context.subscriptions.push({ dispose: () => server.close() });
}

async function runTest(test: Socket, { folder, socket }: Start, context: vscode.ExtensionContext): Promise<void> {
  if (test.destroyed) return;
  const ended = new Promise<void>((resolve) => test.on('end', resolve).on('close', resolve));
  const problems = vscode.languages.createDiagnosticCollection('hands');
  const threads = vscode.comments.createCommentController('hands', 'hands');
  let folders = [folder];
  const hands = (window: HawserWindow): WireHandlers => ({
    'test/type': async ({ uri, text }) => {
      const document = documentAt(uri);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, wholeRange(document), text);
      await vscode.workspace.applyEdit(edit);
      return undefined;
    },
    'test/select': async ({ uri, range }) => {
      await vscode.window.showTextDocument(documentAt(uri), { selection: rangeFrom(range), preview: false });
      return undefined;
    },
    'test/mention': ({ uri, range }) => {
      window.mention(documentAt(uri).uri, range && rangeFrom(range));
      return undefined;
    },
    'test/folder': ({ path }) => {
      folders = [path];
      window.sendFolders();
      return undefined;
    },
    'test/report': ({ uri, diagnostic }) => {
      const { range, message, severity } = diagnostic as { range: never; message: string; severity: number };
      problems.set(documentAt(uri).uri, [new vscode.Diagnostic(rangeFrom(range), message, severity - 1)]);
      return undefined;
    },
    'test/format': () => ({ name: 'a.ts', text: 'let  a = 1;\n', formatted: 'let a = 1;\n' }),
    'test/shown': ({ id }) => {
      const proposal = window.proposals.get(id);
      return { isShown: proposal !== undefined && window.tabs.isOpen(proposal) };
    },
    'test/says': ({ id, words }) => ({ isSaid: said(window, id).includes(words) }),
    'test/decide': async (params) => {
      await decide(window, threads, params);
      return undefined;
    },
  });
  const capabilities: EditorCapabilities = {
    // Its "Organize Imports" is a command, which agents are not given, and the suite asks for no other action.
    language: Object.keys(languageRequests).filter((method) => method !== 'textDocument/codeAction'),
    test: [
      ...['test/type', 'test/select', 'test/mention', 'test/folder', 'test/report', 'test/format', 'test/shown'],
      ...['test/says', 'test/decide'],
    ],
  };
  const window = new HawserWindow({
    storage: context.globalStorageUri.fsPath,
    folders: () => folders,
    dial: async () => connect(socket),
    left: () => [],
    reviewInTerminal: () => {},
    hands,
    capabilities,
  });
  await window.connect();
  await ended;
  window.dispose();
  problems.dispose();
  threads.dispose();
  await closeAll();
  test.end();
}

function documentAt(uri: string): vscode.TextDocument {
  const document = textDocumentAt(fileURLToPath(uri));
  if (document === undefined) throw new Error(`Not open: ${uri}`);
  return document;
}

async function decide(
  { proposals, tabs, reviewing }: HawserWindow,
  threads: vscode.CommentController,
  { id, decision }: ParamsOf<'test/decide'>,
): Promise<void> {
  const proposal = proposals.get(id);
  if (proposal === undefined) throw new Error(`No proposal ${id}`);
  if ('text' in decision && decision.text !== undefined && decision.text !== proposal.text) {
    await tabs.open(proposal, 'asked');
    await type(proposal, decision.text);
  }
  const notes = decision.notes ?? [];
  for (const { text, lines } of notes) {
    if (lines === undefined) continue;
    const uri = sideOf(proposal, lines.side === 'old' ? OLD : NEW);
    const range = new vscode.Range(lines.first, 0, lines.first + lines.count - 1, 0);
    const thread = threads.createCommentThread(uri, range, []);
    await vscode.commands.executeCommand('hawser.addNote', { thread, text });
  }
  const others = notes.filter(({ lines }) => lines === undefined);
  await reviewing.decide(proposal, decision.kind, others);
}

/** What the view tells of a proposal, in its row and in what appears over it. */
function said({ proposals, queue }: HawserWindow, id: string): string {
  const proposal = proposals.get(id);
  const { label, description, tooltip } = proposal === undefined ? {} : queue.getTreeItem(proposal);
  return [label, description, tooltip].join('\n');
}

/** The right side is editable a moment after it is shown. */
async function type(proposal: OpenProposal, text: string): Promise<void> {
  for (;;) {
    const document = rightDocument(proposal);
    const edit = new vscode.WorkspaceEdit();
    if (document !== undefined) edit.replace(document.uri, wholeRange(document), text);
    if (document !== undefined && (await vscode.workspace.applyEdit(edit))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.window.tabGroups.close(allTabs());
}
