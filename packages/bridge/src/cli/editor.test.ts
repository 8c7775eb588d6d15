import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EditorCapabilities, ResultOf } from '@hawser/editor-protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { EditorClient } from '../../testing/editor-client.ts';
import { logInStatus } from '../../testing/log-in.ts';
import { LspClient } from '../../testing/lsp-client.ts';
import { type Household, openDiff, temporaryHousehold } from '../../testing/program.ts';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';

const HANDS = fileURLToPath(new URL('../../../../examples/custom-editor/hands.mjs', import.meta.url));
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

let household: Household;
beforeEach(() => {
  household = temporaryHousehold();
});

/** An editor whose plugin has started `hawser editor`. */
async function startEditor(
  capabilities: EditorCapabilities = { showDocument: true, proposals: {} },
  ...options: readonly string[]
) {
  const child = household.start(['editor', '--agents', 'claude-code', '--log-file', '/dev/null', ...options]);
  const client = new EditorClient(new ContentLengthConnection(child.stdout as Readable, child.stdin as Writable));
  const hello = await client.initialize(household.workspace, capabilities);
  await client.message('bridge/status');
  return { child, client, hello };
}
const lockFolder = () => join(household.home, '.claude', 'ide');
const locks = () =>
  existsSync(lockFolder()) ? readdirSync(lockFolder()).filter((name) => name.endsWith('.lock')) : [];
const agentOf = async (child: ChildProcess) =>
  await household.agent(await household.lineOf('claude-code', { child, line: '', logs: async () => {} }));
const file = (name: string, text: string) => {
  writeFileSync(join(household.workspace, name), text);
  return join(household.workspace, name);
};

describe('hawser editor', () => {
  it('is a bridge: agents see the selection, the user decides in the editor, and all ends with it', async () => {
    const path = file('a.txt', 'one\n');
    const { child, client, hello } = await startEditor();
    expect(hello).toMatchObject({ protocolVersion: 1, serverInfo: { name: 'hawser' }, isShared: false });
    const agent = await agentOf(child);
    const status = await client.message('bridge/status', (params) =>
      JSON.stringify(params).includes('"name":"claude-code"'),
    );
    expect(status).toMatchObject({ agents: [{ name: 'claude-code', state: expect.any(String) }], paused: false });

    const selected = agent.notification('selection_changed', ({ text }) => text === 'one');
    client.peer.notify('editor/didChangeSelection', { uri: `file://${path}`, range: RANGE, text: 'one' });
    expect(await selected).toMatchObject({ filePath: path, text: 'one' });
    const mentioned = agent.notification('at_mentioned');
    client.peer.notify('editor/mention', { uri: `file://${path}`, range: RANGE });
    expect(await mentioned).toEqual({ filePath: path, lineStart: 0, lineEnd: 0 });
    expect(await client.message('window/showMessage')).toMatchObject({
      type: 3,
      message: 'a.txt:1 sent to claude-code',
    });

    const proposed = openDiff(agent, path, 'two\n');
    const { id } = await client.message('proposal/show');
    await client.peer.request('proposal/decide', { id, revision: 0, decision: { kind: 'accepted' } });
    expect(await proposed).toEqual(['FILE_SAVED', 'two\n']);

    client.onRequest = () => ({ success: true });
    await agent.call('openFile', { filePath: path });
    expect(await client.message('window/showDocument')).toMatchObject({ uri: `file://${path}`, takeFocus: true });

    expect(locks()).toHaveLength(1);
    const exited = once(child, 'exit');
    child.stdin?.end();
    expect(await exited).toEqual([0, null]);
    expect(locks()).toEqual([]);
  });

  it('joins the bridge that serves the folder, which goes on when it leaves', async () => {
    const path = file('a.txt', 'one\n');
    const bridge = await household.serve('--agents', 'claude-code');
    const agent = await household.agent(bridge.line);
    const { child, client, hello } = await startEditor();
    expect(hello).toMatchObject({ isShared: true });
    const selected = agent.notification('selection_changed', ({ text }) => text === 'one');
    client.peer.notify('editor/didChangeSelection', { uri: `file://${path}`, range: RANGE, text: 'one' });
    await selected;
    const proposed = openDiff(agent, path, 'two\n');
    const { id } = await client.message('proposal/show');
    const again = await startEditor();
    // A window that is reloaded is shown what is open.
    expect(await again.client.message('proposal/show')).toMatchObject({ id });
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await again.client.peer.request('proposal/decide', { id, revision: 0, decision: { kind: 'rejected' } });
    expect((await proposed)[0]).toBe('DIFF_REJECTED');
    again.child.stdin?.end();
    await once(again.child, 'exit');
    expect(await agent.callJson('getOpenEditors')).toMatchObject({ tabs: [] });
    expect(bridge.child.exitCode).toBeNull();
  });

  it('joins no bridge that would send files which its user has denied', async () => {
    await household.serve('--agents', 'claude-code', '--deny', '*.key');
    expect((await startEditor({}, '--deny', '*.key')).hello).toMatchObject({ isShared: true });
    expect((await startEditor({}, '--deny', '*.key', '--deny', '*.secret')).hello).toMatchObject({ isShared: false });
  });

  it('makes a link to the review in the browser, and starts the browser if the editor wishes', async () => {
    const opened = join(household.home, 'opened');
    const opener = join(household.home, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`, { mode: 0o755 });
    Object.assign(household.moreEnv, { DISPLAY: ':none', PATH: `${household.home}:${household.env.PATH}` });
    const alone = await startEditor();
    const { link, isOpen } = (await alone.client.peer.request('review/openPage', {})) as ResultOf<'review/openPage'>;
    expect(isOpen).toBe(false);
    expect([await logInStatus(link), await logInStatus(link)]).toEqual([200, 401]);
    // One that has joined a bridge.
    const { client } = await startEditor();
    const other = (await client.peer.request('review/openPage', { open: true })) as ResultOf<'review/openPage'>;
    expect(other).toEqual({ link: expect.stringContaining(`${new URL(link).origin}/#`), isOpen: true });
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(`${other.link}\n`);
  });

  it('an editor that never answers, floods, sends nonsense or dies harms no agent', async () => {
    const path = file('a.txt', 'one\n');
    const bridge = await household.serve('--agents', 'claude-code');
    const agent = await household.agent(bridge.line);
    const { child, client } = await startEditor({ showDocument: true, documents: true, save: true });
    client.onRequest = () => new Promise(() => {});
    const waiting = agent.callRaw('openFile', { filePath: path });
    for (let index = 0; index < 2000; index += 1) {
      client.peer.notify('editor/didChangeSelection', { uri: `file://${path}`, range: RANGE, text: `${index}` });
    }
    client.peer.notify('editor/didChangeDocuments', { documents: 'all' });
    expect(await agent.callJson('getWorkspaceFolders')).toMatchObject({ success: true });
    child.stdin?.write('Content-Length: oops\r\n\r\n{}');
    expect(await waiting).toMatchObject({ isError: true });
    await once(child, 'exit');
    expect(await agent.callJson('getOpenEditors')).toMatchObject({ tabs: [] });
    await agent.call('openFile', { filePath: path });
    expect(await agent.callJson('getOpenEditors')).toMatchObject({ tabs: [{ label: 'a.txt' }] });
  });

  it('says what is wrong with what is no editor, and in a terminal', async () => {
    const child = household.start(['editor']);
    let err = '';
    child.stderr?.on('data', (data) => {
      err += data;
    });
    child.stdin?.end('hello\n');
    await once(child, 'close');
    expect(err).toContain('hawser: No editor: It sent something that is not a message: "hello\\n"');
    expect(await household.run('editor', 'file.txt')).toMatchObject({ code: 2 });
  });
});

describe('hawser editor --join', () => {
  const join = async () => {
    const { code, out, err } = await household.run('editor', '--join', '.', '--agents', 'claude-code');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out).socket as string;
  };
  const stopped = async () => await household.run('stop');

  it('starts one bridge for all windows that open at once, on a socket that speaks the protocol', async () => {
    const [socket = '', ...others] = await Promise.all([join(), join(), join()]);
    expect(others).toEqual([socket, socket]);
    expect(locks()).toHaveLength(1);
    const stream = connect(socket);
    const client = new EditorClient(new ContentLengthConnection(stream, stream));
    const hello = await client.initialize(household.workspace, { proposals: {} });
    expect(hello).toMatchObject({ isShared: true });
    const agent = await household.agent(await household.lineOf('claude-code'));
    const proposed = openDiff(agent, file('a.txt', 'one\n'), 'two\n');
    const { id } = await client.message('proposal/show');
    stream.destroy();
    // The window is reloaded.
    const again = connect(await join());
    const reloaded = new EditorClient(new ContentLengthConnection(again, again));
    await reloaded.initialize(household.workspace, { proposals: {} });
    expect(await reloaded.message('proposal/show')).toMatchObject({ id });
    await reloaded.peer.request('proposal/decide', { id, revision: 0, decision: { kind: 'accepted' } });
    expect(await proposed).toEqual(['FILE_SAVED', 'two\n']);
    again.destroy();
    expect(await stopped()).toMatchObject({ code: 0 });
  });

  it('finds the bridge that serves the folder already', async () => {
    const bridge = await household.serve('--agents', 'claude-code');
    expect(await join()).toContain(`${bridge.child.pid}-`);
  });

  it('says why the bridge does not start', async () => {
    expect(await household.run('editor', '--join', 'nowhere')).toMatchObject({
      err: expect.stringContaining('nowhere'),
    });
    const { code, err } = await household.run('editor', '--join', '.', '--port', '1', '--log-file', '/none/log');
    expect([code, err]).toEqual([1, expect.stringContaining('did not start: hawser: ')]);
  });
});

describe('hawser serve --idle-exit', () => {
  it('exits when no editor and no agent is connected any more', async () => {
    const bridge = await household.serve('--agents', 'claude-code', '--idle-exit', '1');
    const exited = once(bridge.child, 'exit');
    const agent = await household.agent(bridge.line);
    const proposed = openDiff(agent, file('a.txt', 'one\n'), 'two\n');
    await bridge.logs('proposal added');
    agent.close();
    expect(await exited).toEqual([0, null]);
    await expect(proposed).rejects.toThrow();
    expect(locks()).toEqual([]);
    expect(await household.run('serve', '--idle-exit', 'never')).toMatchObject({ code: 2 });
  });
});

describe('hawser editor --lsp', () => {
  const startClient = async () => {
    const child = household.start(['editor', '--lsp', '--agents', 'claude-code', '--log-file', '/dev/null']);
    const client = new LspClient(new ContentLengthConnection(child.stdout as Readable, child.stdin as Writable));
    await client.initialize(household.workspace);
    return { child, client };
  };

  it('joins the bridge that serves the folder; a client that floods, sends nonsense or dies harms no agent', async () => {
    const path = file('a.txt', 'one\n');
    const bridge = await household.serve('--agents', 'claude-code');
    const agent = await household.agent(bridge.line);
    const { child, client } = await startClient();
    const selected = agent.notification('selection_changed', ({ filePath }) => filePath === path);
    client.open(path);
    await selected;
    const mentioned = agent.notification('at_mentioned');
    await client.choose(path, RANGE, 'mention');
    expect(await mentioned).toEqual({ filePath: path, lineStart: 0, lineEnd: 0 });
    await client.message('window/showMessage', (params) => JSON.stringify(params).includes('a.txt:1 sent to'));
    const proposed = openDiff(agent, path, 'two\n');
    await client.message('window/showMessage', (params) => JSON.stringify(params).includes('wants to change a.txt'));

    client.onRequest = () => new Promise(() => {});
    const waiting = agent.callRaw('openFile', { filePath: path });
    for (let index = 0; index < 500; index += 1) client.type(path, `${index}\n`);
    client.peer.notify('textDocument/didChange', { textDocument: 7 });
    expect(await agent.callJson('getWorkspaceFolders')).toMatchObject({ success: true });
    const exited = once(child, 'exit');
    child.stdin?.write('no frame\n');
    await exited;
    expect(await waiting).toMatchObject({ isError: true });
    // The proposal is still open, and is shown to the next one.
    const next = await startClient();
    await next.client.message('window/showMessage', (params) => JSON.stringify(params).includes('wants to change'));
    next.client.open(path);
    await expect.poll(async () => (await next.client.actions(path, RANGE)).length).toBe(4);
    await next.client.choose(path, RANGE, 'accept');
    expect(await proposed).toEqual(['FILE_SAVED', 'two\n']);
    next.child.kill('SIGKILL');
    await expect.poll(() => agent.callJson('getOpenEditors')).toMatchObject({ tabs: [] });
    expect(bridge.child.exitCode).toBeNull();
  });

  it('is the bridge if there is none, and ends with its client', async () => {
    const { child, client } = await startClient();
    await expect.poll(locks).toHaveLength(1);
    await client.peer.request('shutdown');
    const exited = once(child, 'exit');
    client.peer.notify('exit');
    expect(await exited).toEqual([0, null]);
    expect(locks()).toEqual([]);
  });
});

describe('hawser editor --check', () => {
  it('runs the kit on a plugin and reports what it does', async () => {
    const { code, out } = await household.run(
      'editor',
      '--check',
      '--only',
      'documents',
      '--',
      process.execPath,
      HANDS,
    );
    expect(out).toContain('Custom editor: ');
    expect(out).toContain('ok      documents: a closed document is listed no more');
    expect(out).toMatch(/\n10 passed, 0 failed, 0 skipped\.\n$/);
    expect(code).toBe(0);
  });

  it('recognizes a plugin that speaks msgpack, as Neovim does', async () => {
    const neovim = ['nvim', '--headless', '-u', join(HANDS, '..', '..', '..', 'test', 'nvim', 'hands.lua')];
    const { out } = await household.run('editor', '--check', '--only', 'session', '--', ...neovim);
    expect(out).toMatch(/^Neovim: nvim/);
    expect(out).toMatch(/\n1 passed, 0 failed, 0 skipped\.\n$/);
  });

  it('starts a command whose files are named from the folder of the user', async () => {
    const plugin = readFileSync(HANDS, 'utf8').replace('./editor.mjs', join(HANDS, '..', 'editor.mjs'));
    file('plugin.mjs', plugin);
    const { out } = await household.run('editor', '--check', '--only', 'listed', '--', process.execPath, 'plugin.mjs');
    expect(out).toMatch(/\n\d passed, 0 failed, 0 skipped\.\n$/);
  });

  it('finds a plugin that breaks a rule, skips what it has no hand for, and exits with 1', async () => {
    const broken = readFileSync(HANDS, 'utf8')
      .replace('./editor.mjs', join(HANDS, '..', 'editor.mjs'))
      .replace("'test/type'", "'other'")
      .replace('await editor.start', "editor.handlers['editor/close'] = () => null;\nawait editor.start");
    const plugin = file('broken.mjs', broken);
    const { code, out, err } = await household.run(
      'editor',
      '--check',
      '--only',
      'document',
      '--',
      process.execPath,
      plugin,
    );
    expect(out).toMatch(/FAILED {2}documents: a closed document is listed no more\n {10}\S/);
    expect(out).toMatch(/skipped documents: a document with unsaved text is not closed \(it has no test\/type\)/);
    expect(err).toContain('Custom editor does not follow the protocol');
    expect(code).toBe(1);
  });

  it('says which tests, and which suites, a plugin lacks the capability for', async () => {
    const check = (capabilities: string, ...args: string[]) => {
      const plugin = readFileSync(HANDS, 'utf8')
        .replace('./editor.mjs', join(HANDS, '..', 'editor.mjs'))
        .replace('capabilities: { diagnostics: true,', `capabilities: { ${capabilities}, proposals: undefined,`);
      return household.run('editor', '--check', ...args, '--', process.execPath, file('plugin.mjs', plugin));
    };
    const { out } = await check('showDocument: false');
    expect(out).toMatch(/skipped proposals that it does not know .* \(it has no capability proposals\)/);
    expect(out).toContain('skipped all of documents, saving, selection and events (needs the capability showDocument)');
    expect(out).toMatch(/\n\d passed, 0 failed, \d skipped, and 4 whole suites\.\n$/);
    const levelZero = await check('documents: false', '--only', 'selecting in another');
    const levelZeroWord = await check('documents: false', '--only', 'agent selects a word');
    expect(levelZeroWord.out).toContain('ok      selection: an agent selects a word');
    expect(levelZero.out).toMatch(/skipped selection: selecting in another .* \(it has no capability documents\)/);
  });

  it('finds a plugin of level 0 that says it has shown a file and has not', async () => {
    const plugin = readFileSync(HANDS, 'utf8')
      .replace('./editor.mjs', join(HANDS, '..', 'editor.mjs'))
      .replace('capabilities: { diagnostics: true,', 'capabilities: { documents: false, proposals: undefined,')
      .replace(
        'await editor.start',
        "editor.handlers['window/showDocument'] = () => ({ success: true });\nawait editor.start",
      );
    const args = ['--only', 'described', '--', process.execPath, file('liar.mjs', plugin)];
    const { code, out } = await household.run('editor', '--check', ...args);
    expect(out).toContain('FAILED  documents: an opened file is described, listed and active');
    expect(code).toBe(1);
  });

  it('refuses words that no test has', async () => {
    const { code, err } = await household.run('editor', '--check', '--only', 'no such', '--', process.execPath, HANDS);
    expect(err).toContain('No applicable test matches no such');
    expect(code).toBe(2);
  });

  it('says why a command can not be tested', async () => {
    expect(await household.run('editor', '--check')).toMatchObject({ code: 2 });
    const { code, err } = await household.run(
      'editor',
      '--check',
      '--',
      process.execPath,
      '-e',
      'console.error("no plugin")',
    );
    expect(err).toContain('ended before its plugin started hawser editor: no plugin');
    expect(code).toBe(1);
  });
});
