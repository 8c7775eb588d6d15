import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAccess } from '../access/access.ts';
import { Desk } from '../desk.ts';
import { type WorkspaceEditor, workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { type ControlClient, connectControl } from './connect.ts';
import { Control } from './control.ts';
import { AlreadyServed, type ControlListener, listenControl } from './listen.ts';
import { type ControlPlace, controlPlace } from './place.ts';

let folder: string;
let place: ControlPlace;
let editor: WorkspaceEditor;
let desk: Desk;
let control: Control;
let stopped: number;
let listeners: ControlListener[];
let sockets: Socket[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hw-')));
  place = controlPlace({ stateFolder: join(folder, 'state'), temporaryFolder: folder }, folder);
  editor = workspaceEditor({ folders: [folder] });
  desk = new Desk();
  stopped = 0;
  control = new Control({
    pid: 1,
    version: '0',
    review: 'ask',
    editor,
    access: makeAccess({ folders: [folder] }),
    desk,
    doors: () => [],
    stop: () => {
      stopped += 1;
    },
  });
  listeners = [];
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const listener of listeners) listener.close();
  await control.close();
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(): Promise<void> {
  listeners.push(await listenControl(place, (connection) => control.connect(connection)));
}

async function client(): Promise<ControlClient> {
  const connected = await connectControl(place);
  if (connected === undefined) throw new Error('Nobody answers');
  return connected;
}

/** Sends lines as they are, and gives as many answers. */
async function raw(...lines: string[]): Promise<unknown[]> {
  const socket = connect(place.path);
  sockets.push(socket);
  const answers: unknown[] = [];
  socket.write(lines.map((line) => `${line}\n`).join(''));
  for await (const line of createInterface({ input: socket })) {
    answers.push(JSON.parse(line));
    if (answers.length === lines.length) break;
  }
  return answers;
}

describe('the control socket', () => {
  it('is private: nobody else can enter its folder, read or write it', async () => {
    mkdirSync(place.directory, { recursive: true });
    chmodSync(place.directory, 0o777);
    await listen();
    expect(statSync(place.directory).mode & 0o777).toBe(0o700);
    expect(statSync(place.path).mode & 0o777).toBe(0o600);
  });

  it('is gone when it is closed, and nobody answers', async () => {
    await listen();
    listeners[0]?.close();
    expect(existsSync(place.path)).toBe(false);
    expect(await connectControl(place)).toBeUndefined();
  });

  it('sockets that nobody answers at are removed, those of the living and other files stay', async () => {
    mkdirSync(place.directory, { recursive: true });
    const [stale, living, notes] = ['0123456789abcdef.sock', 'fedcba9876543210.sock', 'notes.txt'].map((name) =>
      join(place.directory, name),
    ) as [string, string, string];
    writeFileSync(notes, '');
    writeFileSync(stale, '');
    const server = createServer().listen(living);
    await once(server, 'listening');
    await listen();
    expect([stale, living, notes].map((path) => existsSync(path))).toEqual([false, true, true]);
    server.close();
  });

  it('is left to the bridge that has it', async () => {
    await listen();
    await expect(listenControl(place, () => {})).rejects.toBeInstanceOf(AlreadyServed);
    expect(await (await client()).list()).toEqual([]);
  });

  it('is elsewhere when its name would be too long, and there too it is private', async () => {
    const stateFolder = join(folder, 'long'.repeat(30));
    place = controlPlace({ stateFolder, temporaryFolder: folder }, folder);
    expect(place.directory).toBe(join(folder, `hawser-${process.getuid?.()}`));
    await listen();
    expect(statSync(place.directory).mode & 0o777).toBe(0o700);
    expect(await (await client()).list()).toEqual([]);
    expect(() => controlPlace({ stateFolder, temporaryFolder: stateFolder }, folder)).toThrow('set XDG_STATE_HOME');
  });
});

describe('what is said on it', () => {
  it.each([
    ['no JSON', '{', -32700, null],
    ['no method of ours', '{"jsonrpc":"2.0","id":1,"method":"rm"}', -32601, 1],
    ['no arguments', '{"jsonrpc":"2.0","id":0,"method":"proposals/get"}', -32602, 0],
    ['arguments in a list', '{"jsonrpc":"2.0","id":1,"method":"proposals/get","params":["x"]}', -32602, 1],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"status"}]', -32600, null],
  ])('%s gets a clear error, and the connection lives on', async (_what, line, code, id) => {
    await listen();
    const [error, list] = await raw(line, '{"jsonrpc":"2.0","id":"next","method":"proposals/list"}');
    expect(error).toMatchObject({ id, error: { code, message: expect.any(String) } });
    expect(list).toEqual({ jsonrpc: '2.0', id: 'next', result: [] });
  });

  it.each([
    [{ kind: 'maybe' }, 'choice.kind is one of all, none, some, edited'],
    [{ kind: 'some', hunks: [-1] }, 'choice.hunks is a list of numbers from 0'],
    [{ kind: 'some', hunks: 'all' }, 'choice.hunks is a list of numbers from 0'],
    [{ kind: 'edited' }, 'choice.text is a text'],
    [undefined, 'choice.kind is one of all, none, some, edited'],
    [{ kind: 'some', hunks: [7] }, 'There is no hunk 8; the change has 1'],
  ])('a choice that is none decides nothing: %j', async (choice, why) => {
    await listen();
    const proposal = { id: 'proposal', path: '/w/a', title: 'a', oldText: 'old', newText: 'new', from: 'an agent' };
    const { signal } = new AbortController();
    void desk.review(proposal, { signal });
    const params = { id: 'proposal', choice };
    const [answer] = await raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'proposals/decide', params }));
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining(why) } });
    expect(desk.list()).toHaveLength(1);
  });

  it('an id may be cut short, unless two begin alike', async () => {
    await listen();
    const bridge = await client();
    const { signal } = new AbortController();
    for (const id of ['abcdef-1', 'abcdef-2', 'abzzzz-3']) {
      void desk.review({ id, path: '/w/a', title: id, oldText: undefined, newText: '', from: 'x' }, { signal });
    }
    expect((await bridge.get('abzz')).id).toBe('abzzzz-3');
    await expect(bridge.get('abz')).rejects.toThrow('There is no proposal abz');
    await expect(bridge.get('abcd')).rejects.toThrow('More than one proposal begins with abcd: abcdef-1, abcdef-2');
  });

  it('whoever watches is told what is there, then what comes and goes, each once', async () => {
    await listen();
    const bridge = await client();
    const heard: unknown[] = [];
    let told = () => {};
    const { signal } = new AbortController();
    const put = (id: string) =>
      desk.review({ id, path: '/w/a', title: id, oldText: 'x', newText: 'y', from: 'an agent' }, { signal });
    void put('first');
    const { proposals } = await bridge.watch({
      came: ({ id }) => heard.push(['came', id]),
      went: ({ id, ending }) => heard.push(['went', id, ending]),
      changed: ({ proposals: count }) => count === 0 && told(),
    });
    expect(proposals.map(({ id }) => id)).toEqual(['first']);
    const done = new Promise<void>((resolve) => {
      told = resolve;
    });
    void put('second');
    desk.decide('first', { kind: 'none' });
    desk.decide('second', { kind: 'all' });
    await done;
    expect(heard).toEqual([
      ['came', 'second'],
      ['went', 'first', { kind: 'rejected' }],
      ['went', 'second', { kind: 'accepted', how: 'whole' }],
    ]);
    await bridge.close();
  });

  it('a change of ten million characters comes whole', async () => {
    await listen();
    const bridge = await client();
    const newText = 'é"\\\n'.repeat(2_500_000);
    const { signal } = new AbortController();
    void desk.review({ id: 'large', path: '/w/a', title: 'a', oldText: 'x', newText, from: 'x' }, { signal });
    expect((await bridge.get('large')).newText === newText).toBe(true);
  });

  it('stop is answered first; then the end of the bridge ends the connection', async () => {
    await listen();
    const bridge = await client();
    expect(await bridge.stop()).toEqual({ pid: 1 });
    await control.close();
    await bridge.closed;
    expect(stopped).toBe(1);
    await expect(bridge.status()).rejects.toThrow();
  });
});
