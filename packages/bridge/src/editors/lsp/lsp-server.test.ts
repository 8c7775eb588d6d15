import { chmodSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { memoryPair } from '@hawser/mcp';
import { afterEach, describe, expect, it } from 'vitest';
import { LspClient, type LspClientOptions } from '../../../testing/lsp-client.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { describeEditor, type EditorUnderTest } from '../../editor.contract.ts';
import type { EditorEvent, Range } from '../../editor.ts';
import { ReviewQueue } from '../../review/queue.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { describeWriteText } from '../../write-text.contract.ts';
import { ContentLengthConnection } from '../remote/content-length-connection.ts';
import { acceptEditor } from '../remote/remote-editor.ts';
import { LspServer } from './lsp-server.ts';

const rangeOf = (startLine: number, start: number, endLine: number, end: number): Range => ({
  start: { line: startLine, character: start },
  end: { line: endLine, character: end },
});
const CURSOR = rangeOf(0, 0, 0, 0);

/** A client, the server in front of a bridge, and the editor that the bridge sees. */
async function openAll(folder: string, options: LspClientOptions = {}) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const [editorEnd, bridgeEnd] = memoryPair({ copy: 'json' });
  const problems: Error[] = [];
  const accepting = acceptEditor({
    connection: bridgeEnd,
    stateFolder: join(folder, '.state'),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: false,
  });
  accepting.catch(() => undefined); // who waits for it is told
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const server = new LspServer({
    connection: new ContentLengthConnection(there, back),
    connectBridge: async () => editorEnd,
    folder,
    stateFolder: join(folder, '.state'),
    temporaryFiles: new TemporaryFiles(undefined),
    serverInfo: { name: 'hawser', version: 'test' },
    onProblem: (problem) => problems.push(problem),
    onEnd: () => ended(),
  });
  server.start();
  const client = new LspClient(new ContentLengthConnection(back, there));
  const hello = await client.initialize(folder, options);
  const editor = await accepting;
  return { client, editor, hello, server, problems, stream: there, end };
}

async function makeEditor(folder: string): Promise<EditorUnderTest> {
  const { client, editor, server } = await openAll(folder);
  return {
    editor,
    type: async (path, text) => client.type(path, text),
    select: async (path, range) => void (await client.actions(path, range)),
    mention: (path, lines) =>
      client.choose(path, lines === undefined ? CURSOR : rangeOf(lines.first, 0, lines.last, 1), 'mention'),
    changeFolders: async ([added]) => {
      const event = {
        added: [{ uri: pathToFileURL(added).href }],
        removed: [{ uri: pathToFileURL(folder).href }],
      };
      client.peer.notify('workspace/didChangeWorkspaceFolders', { event });
    },
    dispose: () => server.close('The test is over'),
  };
}

describeEditor('an LSP client', makeEditor, {
  lacks: {
    save: 'a language server can not make its client save',
    closeFile: 'a language server can not make its client close a document',
    format: 'a language server formats, and has no formatter to ask',
    diagnostics: 'a language server is not told what others report',
    report: 'a language server is not told what others report',
  },
});
describeWriteText('an LSP client', makeEditor, {
  opensNothing: 'opening a document in a client may split its window, so only the file is written',
});

describe('the LSP server', () => {
  let folder: string;
  let all: Awaited<ReturnType<typeof openAll>>;
  afterEach(() => all.server.close('The test is over'));

  const start = async (options?: LspClientOptions) => {
    folder = temporaryFolder();
    all = await openAll(folder, options);
    return all;
  };
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const event = (kind: EditorEvent['kind']) =>
    new Promise<EditorEvent>((resolve) => {
      const stop = all.editor.subscribe((each) => {
        if (each.kind !== kind) return;
        stop();
        resolve(each);
      });
    });
  const propose = async (path: string, newText: string) => {
    const queue = new ReviewQueue();
    if (all.editor.reviewer !== undefined) queue.attach(all.editor.reviewer);
    const oldText = await readFile(path, 'utf8');
    const change = { path, title: 'a.txt', oldText, newText, agent: 'an agent' };
    return { queue, outcome: queue.propose(change, { owner: queue, signal: new AbortController().signal }) };
  };
  const opened = async (name: string, text: string) => {
    const path = await file(name, text);
    const listed = event('documents');
    all.client.open(path);
    await listed;
    return path;
  };

  it('says what it can do, and answers what it can not with -32601', async () => {
    const { client, hello } = await start();
    expect(hello.capabilities).toMatchObject({ codeActionProvider: true, textDocumentSync: { change: 1 } });
    expect(hello.capabilities).not.toHaveProperty('documentHighlightProvider');
    await expect(client.peer.request('textDocument/hover', {})).rejects.toMatchObject({ code: -32601 });
    await expect(client.peer.request('initialize', {})).rejects.toMatchObject({ code: -32600 });
    expect(await client.peer.request('shutdown')).toBeNull();
    await expect(client.peer.request('textDocument/codeAction', {})).rejects.toMatchObject({ code: -32600 });
    client.peer.notify('exit');
    await client.closed;
    await all.end;
  });

  it('notifications that make no sense are reported and harm nothing', async () => {
    const { client, problems } = await start();
    client.peer.notify('textDocument/didOpen', { textDocument: { uri: 7 } });
    client.peer.notify('textDocument/didChange', {});
    client.peer.notify('textDocument/didClose', { textDocument: { uri: 'file:///nowhere' } });
    client.peer.notify('constructor', {});
    await opened('a.txt', 'one\n');
    expect(await all.editor.openDocuments()).toHaveLength(1);
    expect(problems.map(({ message }) => message)).toEqual([
      'A bad textDocument/didOpen: no uri or text',
      'A bad textDocument/didChange: no whole text',
    ]);
  });

  it('a stream that is not in frames ends it', async () => {
    const { stream, client } = await start();
    stream.write('GET / HTTP/1.1\r\n\r\n');
    await client.closed;
    await all.end;
  });

  it('typing moves the cursor there, and makes the document the active one', async () => {
    const { client, editor } = await start();
    const path = await opened('a.txt', 'one\ntwo\n');
    const selected = event('selection');
    client.type(path, 'one\ntw!o\n');
    await selected;
    expect(await editor.selection()).toEqual({ path, range: rangeOf(1, 3, 1, 3), text: '' });
  });

  it('follows the cursor by requests for highlights if its user wants that', async () => {
    const { client, editor, hello } = await start({ initializationOptions: { followCursor: true } });
    expect(hello.capabilities).toMatchObject({ documentHighlightProvider: true });
    const path = await opened('a.txt', 'one\ntwo\n');
    const params = { textDocument: { uri: pathToFileURL(path).href }, position: { line: 1, character: 2 } };
    expect(await client.peer.request('textDocument/documentHighlight', params)).toBeNull();
    await expect.poll(() => editor.selection()).toMatchObject({ range: rangeOf(1, 2, 1, 2) });
  });

  it('a text that the client has read again from its file is not unsaved, and one that it opens with is', async () => {
    const { client, editor } = await start();
    const path = await opened('a.txt', 'one\n');
    await writeFile(path, 'two\n');
    client.type(path, 'two\n');
    await expect.poll(() => editor.openDocuments()).toMatchObject([{ isDirty: false, lineCount: 2 }]);
    client.close(path);
    const textDocument = { uri: pathToFileURL(path).href, version: 1, text: 'recovered\n', languageId: 'plaintext' };
    client.peer.notify('textDocument/didOpen', { textDocument });
    await expect.poll(() => editor.openDocuments()).toMatchObject([{ isDirty: true }]);
  });

  it('an accepted text is an edit of the lines that differ, in the version that the client has', async () => {
    const { client, editor } = await start();
    const path = await opened('a.txt', 'one\r\ntwo\r\nthree\r\n');
    // As most clients show it.
    client.type(path, 'one\ntwo\nthree\n');
    await expect.poll(() => editor.openDocuments()).toMatchObject([{ isDirty: false }]);
    await editor.writeText?.(path, 'one\r\n2\r\nthree\r\n', { expected: 'one\r\ntwo\r\nthree\r\n' });
    expect(await client.message('workspace/applyEdit')).toMatchObject({
      edit: {
        documentChanges: [
          {
            textDocument: { uri: pathToFileURL(path).href, version: 2 },
            edits: [{ range: rangeOf(1, 0, 2, 0), newText: '2\n' }],
          },
        ],
      },
    });
    expect(client.texts.get(path)?.text).toBe('one\n2\nthree\n');
    expect(await readFile(path, 'utf8')).toBe('one\r\n2\r\nthree\r\n');
    expect(await editor.openDocuments()).toMatchObject([{ isDirty: false }]);
  });

  it('what the user types while an edit is on its way stays, and nothing is written', async () => {
    const { client, editor } = await start();
    const path = await opened('a.txt', 'one\n');
    client.onRequest = ({ method }) => {
      if (method === 'workspace/applyEdit') client.type(path, 'mine\n');
    };
    await expect(editor.writeText?.(path, 'two\n', { expected: 'one\n' })).rejects.toThrow(`${path} has unsaved text`);
    expect(client.texts.get(path)?.text).toBe('mine\n');
    expect(await readFile(path, 'utf8')).toBe('one\n');
  });

  it('an edit is taken back if its file can not be written', async () => {
    const { client, editor } = await start();
    const path = await opened('a.txt', 'one\n');
    client.onRequest = ({ method }) => {
      if (method === 'workspace/applyEdit') chmodSync(path, 0o444);
    };
    await expect(editor.writeText?.(path, 'two\n', { expected: 'one\n' })).rejects.toThrow(path);
    expect(client.texts.get(path)?.text).toBe('one\n');
    expect(await editor.openDocuments()).toMatchObject([{ isDirty: false }]);
  });

  it.for<[string, object]>([
    ['takes no edits', { workspace: {} }],
    ['refuses an edit', { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } }],
  ])('the file is written if the client %s', async ([, capabilities]) => {
    const { client, editor } = await start({ capabilities });
    const path = await opened('a.txt', 'one\n');
    client.onRequest = ({ method }) => (method === 'workspace/applyEdit' ? { applied: false } : undefined);
    await editor.writeText?.(path, 'two\n', { expected: 'one\n' });
    expect(await readFile(path, 'utf8')).toBe('two\n');
    expect(client.texts.get(path)?.text).toBe('one\n');
  });

  it('a client that can not show documents says so to agents', async () => {
    const { editor } = await start({ capabilities: { window: {} } });
    const path = await file('a.txt', 'one\n');
    await expect(editor.openFile({ path })).rejects.toThrow(`Client can't open files: open ${path} there`);
  });

  it('a file that the client shows without telling this server is listed as long as the user is there', async () => {
    const { client, editor } = await start();
    const path = await file('a.txt', 'one\n');
    client.onRequest = ({ method }) => (method === 'window/showDocument' ? { success: true } : undefined);
    expect(await editor.openFile({ path })).toMatchObject({ path });
    const other = await opened('b.txt', 'b\n');
    await client.actions(other, CURSOR);
    await expect.poll(() => editor.openDocuments()).toMatchObject([{ path: other }]);
  });

  it('a proposal is a message, and code actions decide on it', async () => {
    const { client } = await start();
    const path = await opened('a.txt', 'one\ntwo\n');
    const { outcome } = await propose(path, 'one\n2\n3\n');
    expect(await client.message('window/showMessage')).toEqual({
      type: 3,
      message:
        'an agent wants to change a.txt (+2 -1). Its code actions accept or reject it; hawser review shows it in a terminal.',
    });
    const actions = await client.actions(path, CURSOR);
    expect(actions.map(({ title }) => title)).toEqual([
      'Hawser: mention a.txt to agents',
      'Hawser: accept, a.txt from an agent (+2 -1)',
      'Hawser: reject, a.txt from an agent (+2 -1)',
      'Hawser: show diff, a.txt from an agent (+2 -1)',
    ]);
    expect(await client.actions(path, CURSOR, { diagnostics: [], only: ['quickfix'] })).toEqual([]);
    await client.choose(path, CURSOR, 'show diff');
    const { uri } = (await client.message('window/showDocument')) as { uri: string };
    expect(uri).toMatch(/\/a\.txt\.diff$/);
    expect([...client.texts.values()].at(-1)?.text).toContain('-two\n+2\n+3\n');
    await client.choose(path, CURSOR, 'accept');
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'one\n2\n3\n' });
    await expect.poll(async () => (await client.actions(path, CURSOR)).length).toBe(1);
  });

  it('an action on a text that has changed since decides nothing', async () => {
    const { client } = await start();
    const path = await opened('a.txt', 'one\ntwo\nthree\n');
    const { outcome, queue } = await propose(path, 'ONE\ntwo\nthree\n');
    await client.message('window/showMessage');
    const [, accept] = await client.actions(path, CURSOR);
    queue.refresh(queue.list()[0]?.id ?? '', 'one\ntwo\nTHREE\n');
    const { command, arguments: list } = accept ?? {};
    await client.peer.request('workspace/executeCommand', { command, arguments: list });
    await client.message('window/showMessage', (params) => JSON.stringify(params).includes('has changed since'));
    expect(queue.list()).toHaveLength(1);
    await client.choose(path, CURSOR, 'accept');
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'ONE\ntwo\nTHREE\n' });
  });

  it('asks about proposals if its user wants that; no answer is no decision, and the question goes with the proposal', async () => {
    const { client } = await start({ initializationOptions: { proposals: 'ask' } });
    const path = await opened('a.txt', 'one\n');
    const questions: ((answer: unknown) => void)[] = [];
    client.onRequest = ({ method }) =>
      method === 'window/showMessageRequest' ? new Promise((resolve) => questions.push(resolve)) : undefined;
    const first = await propose(path, 'two\n');
    expect(await client.message('window/showMessageRequest')).toMatchObject({
      message: 'an agent wants to change a.txt (+1 -1). hawser review shows it in a terminal.',
      actions: [{ title: 'Accept' }, { title: 'Reject' }, { title: 'Show diff' }],
    });
    questions[0]?.(null);
    await client.actions(path, CURSOR);
    expect(first.queue.list()).toHaveLength(1);
    await first.queue.close('test');
    const second = await propose(path, 'two\n');
    await expect.poll(() => questions.length).toBe(2);
    questions[1]?.({ title: 'Reject' });
    expect(await second.outcome).toMatchObject({ kind: 'rejected' });
    const third = await propose(path, 'two\n');
    await expect.poll(() => questions.length).toBe(3);
    await third.queue.close('test');
    await client.message('$/cancelRequest');
  });

  it('commands that nobody offered are errors', async () => {
    const { client } = await start();
    const run = (command: string, list: readonly unknown[] = []) =>
      client.peer.request('workspace/executeCommand', { command, arguments: list });
    await expect.poll(() => run('other').catch(({ message }) => message)).toBe('Unknown command: other');
    await expect(run('hawser.accept', ['none', 0])).rejects.toThrow('This proposal is no longer open');
    await expect(run('hawser.mention', [])).rejects.toMatchObject({ code: -32602 });
  });
});
