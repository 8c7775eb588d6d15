import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { memoryPair } from '@hawser/mcp';
import { expect, it } from 'vitest';
import { EditorClient } from '../../../testing/editor-client.ts';
import { nodeFolder, npmPrograms } from '../../../testing/language-programs.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { editorWithHands } from '../../../testing/workspace-hands.ts';
import { describeEditor, type EditorUnderTest } from '../../editor.contract.ts';
import type { Editor } from '../../editor.ts';
import { describeLanguageFeatures } from '../../language-features.contract.ts';
import { describeWriteText } from '../../write-text.contract.ts';
import { workspaceEditor } from '../workspace/workspace-editor.ts';
import { ContentLengthConnection } from './content-length-connection.ts';
import { acceptEditor } from './remote-editor.ts';

const CAPABILITIES = {
  showDocument: true,
  documents: true,
  save: true,
  close: true,
  format: true,
  writeText: true,
  diagnostics: true,
};

/** An editor as the bridge sees it at the other end of the wire, in frames. */
async function throughWire(editor: Editor, folder: string, capabilities = CAPABILITIES) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const client = new EditorClient(new ContentLengthConnection(back, there), editor);
  const accepting = acceptEditor({
    connection: new ContentLengthConnection(there, back),
    stateFolder: join(folder, '.state'),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: false,
  });
  await client.initialize(folder, capabilities);
  await client.follow();
  const remote = await accepting;
  return { client, remote };
}

async function makeEditor(folder: string): Promise<EditorUnderTest> {
  const { editor, dispose, ...hands } = await editorWithHands(folder);
  const { remote } = await throughWire(editor, folder);
  return {
    ...hands,
    editor: remote,
    dispose: async () => {
      await remote.close();
      await dispose();
    },
  };
}

describeEditor('the embedded editor through the wire', makeEditor);
describeWriteText('the embedded editor through the wire', makeEditor);

// The compiler that this repository is built with has a language server.
const searchPath = [npmPrograms, nodeFolder].join(delimiter);
const language = [
  'textDocument/definition',
  'textDocument/references',
  'textDocument/hover',
  'textDocument/documentSymbol',
  'workspace/symbol',
  'textDocument/rename',
  'textDocument/codeAction',
];

describeLanguageFeatures('the embedded editor through the wire, with tsc', async (folder) => {
  const editor = workspaceEditor({ folders: [folder], languageServers: { find: 'path', searchPath } });
  await editor.languagePrograms?.();
  const { remote } = await throughWire(editor, folder, { ...CAPABILITIES, language } as never);
  return {
    editor: remote,
    dispose: async () => {
      await remote.close();
      await editor.close();
    },
  };
});

/** Accepts a client without an editor. */
async function accepted(capabilities: object, options: { readonly answerMs?: number } = {}) {
  const [ours, theirs] = memoryPair();
  const client = new EditorClient(theirs);
  const problems: Error[] = [];
  const ends: number[] = [];
  const accepting = acceptEditor({
    connection: ours,
    stateFolder: temporaryFolder(),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: false,
    onProblem: (problem) => problems.push(problem),
    onEnd: () => ends.push(1),
    ...options,
  });
  return { client, problems, ends, accepting, hello: client.initialize('/work', capabilities) };
}

it('an editor of level 0 has no more members than it can do, and its active file is its only document', async () => {
  const { client, accepting } = await accepted({ showDocument: true });
  const editor = await accepting;
  for (const member of ['save', 'closeFile', 'format', 'writeText', 'diagnostics', 'hover', 'rename'] as const) {
    expect(editor[member]).toBeUndefined();
  }
  expect(editor.reviewer).toBeUndefined();
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 2 } };
  const event = new Promise((resolve) => editor.subscribe(resolve));
  client.peer.notify('editor/didChangeSelection', { uri: 'file:///work/a.py', range, text: 'ab' });
  await event;
  expect(await editor.selection()).toEqual({ path: '/work/a.py', range, text: 'ab' });
  expect(await editor.openDocuments()).toMatchObject([{ path: '/work/a.py', languageId: 'python', isActive: true }]);
});

it('a status that has not changed is not sent again', async () => {
  const { client, accepting } = await accepted({});
  const editor = await accepting;
  const status = { agents: [], paused: false, proposals: 0, environment: {} };
  editor.showStatus(status);
  editor.showStatus({ ...status });
  editor.showStatus({ ...status, proposals: 1 });
  editor.showStatus(status);
  editor.showMessage('info', 'the last message');
  await client.message('window/showMessage');
  const sent = client.received.filter(({ method }) => method === 'bridge/status');
  expect(sent.map(({ params }) => params)).toMatchObject([{ proposals: 0 }, { proposals: 1 }, { proposals: 0 }]);
});

it('another version is refused with those that are spoken, and the editor can try again', async () => {
  const { client, accepting, hello } = await accepted({});
  await hello;
  await accepting;
  const [ours, theirs] = memoryPair();
  const other = new EditorClient(theirs);
  const again = acceptEditor({
    connection: ours,
    stateFolder: temporaryFolder(),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: true,
  });
  const params = { clientInfo: { name: 'Other' }, workspaceFolders: [{ uri: 'file:///work' }], capabilities: {} };
  await expect(other.peer.request('editor/other', {})).rejects.toMatchObject({ code: -32601 });
  await expect(other.peer.request('shutdown', {})).rejects.toMatchObject({ code: -32002 });
  await expect(other.peer.request('initialize', { ...params, protocolVersion: 2 })).rejects.toMatchObject({
    code: -32010,
    data: { supported: [1] },
  });
  expect(await other.peer.request('initialize', { ...params, protocolVersion: 1 })).toMatchObject({ isShared: true });
  other.peer.notify('initialized', {});
  expect((await again).name).toBe('Other');
  await client.peer.close();
});

it('an editor that leaves before it is accepted, or is no editor, is an error', async () => {
  const { client, accepting, hello } = await accepted({});
  hello.catch(() => undefined);
  const late = acceptEditor({
    connection: new ContentLengthConnection(
      PassThrough.from([Buffer.from('hello, I am no editor\n')]),
      new PassThrough(),
    ),
    stateFolder: temporaryFolder(),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: false,
  });
  await expect(late).rejects.toThrow('is not a message: "hello, I am no editor\\n"');
  await accepting;
  await client.peer.close();
});

it('an editor that never answers costs each caller one wait, then a short one, and says so', async () => {
  const { client, accepting, ends } = await accepted({ showDocument: true, save: true }, { answerMs: 30 });
  const editor = await accepting;
  client.onRequest = () => new Promise(() => {});
  const waits = await Promise.allSettled([editor.save?.('/work/a.txt'), editor.save?.('/work/b.txt')]);
  for (const wait of waits)
    expect(wait).toMatchObject({ reason: { message: expect.stringContaining('did not answer') } });
  expect(await client.message('$/cancelRequest')).toMatchObject({ id: expect.any(Number) });
  const many = Array.from({ length: 70 }, () => editor.save?.('/work/a.txt') as Promise<void>);
  const refused = (await Promise.allSettled(many)).filter(
    (each) => each.status === 'rejected' && /64 unanswered/.test(each.reason.message),
  );
  expect(refused).toHaveLength(6);
  await client.peer.close();
  await expect.poll(() => ends.length).toBe(1);
  await expect(editor.save?.('/work/a.txt')).rejects.toThrow();
});

it('nonsense is refused by name, reported, and harms nothing else', async () => {
  const { client, accepting, problems } = await accepted({ showDocument: true });
  const editor = await accepting;
  client.peer.notify('editor/didChangeDocuments', { documents: [{ uri: 5 }] });
  client.peer.notify('editor/didChangeSelection', { uri: '/work/a.txt', range: RANGE });
  client.peer.notify('editor/unknown', { a: 1 });
  client.peer.notify('proposal/decide', { id: 'x' });
  await expect(client.peer.request('proposal/decide', { id: 'x', revision: 'y' })).rejects.toMatchObject({
    code: -32602,
    message: 'Invalid params: params.revision is a whole number from 0, not "y"',
  });
  await expect(
    client.peer.request('proposal/decide', { id: 'x', revision: 0, decision: { kind: 'rejected' } }),
  ).rejects.toMatchObject({ code: -32001 });
  expect(problems.map(({ message }) => message)).toEqual([
    'Client sent a bad editor/didChangeDocuments: Invalid params: params.documents[0].uri is a string, not 5',
    'Client sent a bad editor/didChangeSelection: "/work/a.txt" is not a URI; send file:///work/a.txt',
  ]);
  client.onRequest = () => ({ success: 'maybe' });
  await expect(editor.setSelection?.('/work/a.txt', RANGE)).rejects.toThrow('something else than the protocol says');
});

it('a selection of more than 1 MiB is cut, its range with it', async () => {
  const { client, accepting } = await accepted({});
  const editor = await accepting;
  const line = `${'x'.repeat(1023)}\n`;
  const event = new Promise((resolve) => editor.subscribe(resolve));
  const range = { start: { line: 2, character: 0 }, end: { line: 2002, character: 0 } };
  client.peer.notify('editor/didChangeSelection', { uri: 'file:///work/a.txt', range, text: line.repeat(2000) });
  await event;
  const selection = await editor.selection();
  expect(selection?.text).toBe(line.repeat(1024));
  expect(selection?.range.end).toEqual({ line: 1026, character: 0 });
});

it('documents that are followed are reported when their files change', async () => {
  const folder = temporaryFolder();
  const { client, accepting } = await accepted({ documents: true, reload: true });
  await accepting;
  const path = join(folder, 'a.txt');
  await writeFile(path, 'one\n');
  const uri = `file://${path}`;
  client.peer.notify('editor/didChangeDocuments', { documents: [{ uri }] });
  expect(await client.message('workspace/didChangeWatchedFiles')).toEqual({ changes: [{ uri, type: 2 }] });
});

const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
