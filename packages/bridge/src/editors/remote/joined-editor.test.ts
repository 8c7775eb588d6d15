import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { memoryPair, RpcError } from '@hawser/mcp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EditorClient } from '../../../testing/editor-client.ts';
import { nodeFolder, npmPrograms } from '../../../testing/language-programs.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { editorWithHands } from '../../../testing/workspace-hands.ts';
import { describeEditor } from '../../editor.contract.ts';
import type { EditorEvent } from '../../editor.ts';
import { describeWriteText } from '../../write-text.contract.ts';
import { workspaceEditor } from '../workspace/workspace-editor.ts';
import { type JoinedEditor, joinedEditor } from './joined-editor.ts';
import { acceptEditor } from './remote-editor.ts';

const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

async function withoutWindows(folder: string) {
  const { editor, ...hands } = await editorWithHands(folder);
  const joined = joinedEditor(editor, () => {});
  return { ...hands, editor: joined, dispose: () => joined.close() };
}

describeEditor('an editor that windows can join, without any', withoutWindows);
describeWriteText('an editor that windows can join, without any', withoutWindows);

async function join1(editor: JoinedEditor, folder: string, capabilities: object) {
  const [ours, theirs] = memoryPair();
  const client = new EditorClient(theirs);
  const accepting = acceptEditor({
    connection: ours,
    stateFolder: join(folder, '.state'),
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: true,
  });
  await client.initialize(folder, capabilities);
  const window = await accepting;
  return { client, window, leave: editor.join(window) };
}

function eventsOf(editor: JoinedEditor) {
  const events: EditorEvent[] = [];
  editor.subscribe((event) => events.push(event));
  const until = (wanted: (event: EditorEvent) => boolean) => expect.poll(() => events.some(wanted)).toBe(true);
  return { events, until };
}

it('closes the editor itself, also if a window fails to close', async () => {
  const base = workspaceEditor({ folders: [temporaryFolder()] });
  const closed = vi.spyOn(base, 'close');
  const editor = joinedEditor(base, () => {});
  const { window } = await join1(editor, temporaryFolder(), {});
  vi.spyOn(window, 'close').mockRejectedValueOnce(new Error('It does not close'));
  onTestFinished(() => window.close());
  await expect(editor.close()).rejects.toThrow('It does not close');
  expect(closed).toHaveBeenCalledOnce();
});

it('the window that the user selects in last is the editor, and without windows the embedded one', async () => {
  const folder = temporaryFolder();
  const editor = joinedEditor(workspaceEditor({ folders: [folder] }), () => {});
  onTestFinished(() => editor.close());
  const { until } = eventsOf(editor);
  expect(editor).toMatchObject({ name: 'Hawser', isWindowless: true });
  const one = await join1(editor, folder, { showDocument: true });
  expect(editor).toMatchObject({ name: 'Client' });
  expect(editor.isWindowless).toBeUndefined();
  const two = await join1(editor, folder, { showDocument: true });
  const selects = async ({ client }: typeof one, name: string) => {
    client.peer.notify('editor/didChangeSelection', { uri: `file://${join(folder, name)}`, range: RANGE, text: '' });
    await until((event) => event.kind === 'selection' && event.selection?.path === join(folder, name));
  };
  await selects(two, 'two.txt');
  await selects(one, 'one.txt');
  expect(await editor.selection()).toMatchObject({ path: join(folder, 'one.txt') });
  one.leave();
  expect(await editor.selection()).toMatchObject({ path: join(folder, 'two.txt') });
  two.leave();
  two.leave();
  expect(await editor.selection()).toBeUndefined();
  expect(editor).toMatchObject({ name: 'Hawser', isWindowless: true });
});

it('a window of another folder adds it for as long as it is there', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  const editor = joinedEditor(workspaceEditor({ folders: [folder] }), () => {});
  onTestFinished(() => editor.close());
  expect(await editor.workspaceFolders()).toEqual([folder]);
  const { until } = eventsOf(editor);
  const { leave } = await join1(editor, other, {});
  await until((event) => event.kind === 'workspace' && event.folders.includes(other));
  leave();
  await until((event) => event.kind === 'workspace' && !event.folders.includes(other));
});

/** An editor with a language server for a file that a window has open. */
async function joinedWithFile(text: string, capabilities: object) {
  const folder = temporaryFolder();
  const path = join(folder, 'a.ts');
  writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }');
  writeFileSync(path, text);
  const languageServers = { find: 'path', searchPath: [npmPrograms, nodeFolder].join(delimiter) } as const;
  const editor = joinedEditor(workspaceEditor({ folders: [folder], languageServers }), () => {});
  onTestFinished(() => editor.close());
  await editor.languagePrograms?.();
  const { client } = await join1(editor, folder, { documents: true, ...capabilities });
  client.peer.notify('editor/didChangeDocuments', { documents: [{ uri: `file://${path}`, isActive: true }] });
  return { path, editor, client };
}

it('what no language server of a window knows is asked of those here', async () => {
  const language = ['textDocument/hover', 'textDocument/references'];
  const { path, editor, client } = await joinedWithFile('const here = 5;\n', { language });
  // This client answers -32601 to what it does not know.
  client.onRequest = ({ method }) => {
    if (method === 'textDocument/references') throw new RpcError(-32603, 'the server is tired');
  };
  await expect.poll(() => editor.openDocuments()).toMatchObject([{ path }]);
  const at = { path, position: { line: 0, character: 7 } };
  expect((await editor.hover?.(at))?.text).toContain('here');
  await expect(editor.references?.(at)).rejects.toThrow('the server is tired');
});

it('what a window can not do is done here: language servers check its files, and files are written', async () => {
  const { path, editor, client } = await joinedWithFile('const wrong: string = 5;\n', {});
  await expect
    .poll(async () => (await editor.diagnostics?.(path))?.[0]?.diagnostics[0]?.message)
    .toContain('not assignable');
  expect((await editor.hover?.({ path, position: { line: 0, character: 7 } }))?.text).toContain('wrong');
  await editor.writeText?.(path, 'const right = 5;\n', { expected: 'const wrong: string = 5;\n' });
  client.peer.notify('editor/didChangeDocuments', { documents: [{ uri: `file://${path}`, isDirty: true }] });
  await client.peer.request('shutdown', {});
  await expect(editor.writeText?.(path, 'x', { expected: 'const right = 5;\n' })).rejects.toThrow(
    'unsaved text in Client',
  );
  await expect(editor.save?.(path)).rejects.toThrow("Client can't save");
});
