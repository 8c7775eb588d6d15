import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlledEditor } from '../../testing/controlled.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { User } from '../../testing/user.ts';
import type { OpenSharedEditor } from '../access/shared-editor.ts';
import { type WorkspaceEditor, workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { ReviewQueue } from '../review/queue.ts';
import { connectControl } from './connect.ts';
import { Control } from './control.ts';
import type { ControlClient } from './control-client.ts';
import { findBridges } from './find.ts';
import { type ControlListener, listenControl } from './listen.ts';
import { type ControlHome, controlFolder, newSocketName } from './place.ts';

let folder: string;
let home: ControlHome;
let editor: WorkspaceEditor;
let shared: OpenSharedEditor;
let reviews: ReviewQueue;
let control: Control;
let stopped: number;
let listeners: ControlListener[];
let sockets: Socket[];
const { signal } = new AbortController();

beforeEach(async () => {
  folder = temporaryFolder();
  home = { stateFolder: join(folder, 'state'), temporaryFolder: folder };
  editor = workspaceEditor({ folders: [folder] });
  const controlled = await controlledEditor(editor, folder);
  ({ shared, reviews } = controlled);
  stopped = 0;
  control = new Control({
    ...controlled,
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
  await reviews.close('the test is over');
  shared.close();
  await editor.close();
});

const place = () => controlFolder(home);

async function listen(): Promise<string> {
  const listener = await listenControl(
    { folder: place(), pid: 1 },
    {
      command: (connection) => control.connect(connection),
    },
  );
  listeners.push(listener);
  return listener.path;
}

async function client(): Promise<ControlClient> {
  const connected = await connectControl(listeners[0]?.path ?? '');
  if (connected === undefined) throw new Error('No bridge answers');
  return connected;
}

/** An open proposal, and its id. */
async function proposed(texts: { oldText?: string; newText?: string } = {}): Promise<string> {
  const change = { path: '/w/a', title: 'a', oldText: 'old', newText: 'new', agent: 'an agent', ...texts };
  const before = reviews.list().length;
  void reviews.propose(change, { owner: reviews, signal });
  await new Promise(setImmediate);
  return reviews.list()[before]?.id ?? '';
}

/** Sends lines as they are, and gives as many answers. */
async function raw(...lines: string[]): Promise<unknown[]> {
  const socket = connect(listeners[0]?.path ?? '');
  sockets.push(socket);
  const answers: unknown[] = [];
  socket.write(lines.map((line) => `${line}\n`).join(''));
  for await (const line of createInterface({ input: socket })) {
    answers.push(JSON.parse(line));
    if (answers.length === lines.length) break;
  }
  return answers;
}

/** A name that another machine would give its socket. */
const FOREIGN = '13-0123456789ab.sock';

describe('the control socket', () => {
  it('is private: other users cannot enter its folder, read or write it', async () => {
    mkdirSync(place(), { recursive: true });
    chmodSync(place(), 0o777);
    const path = await listen();
    expect(statSync(place()).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is removed when it is closed', async () => {
    const path = await listen();
    listeners[0]?.close();
    expect(existsSync(path)).toBe(false);
    expect(await connectControl(path)).toBeUndefined();
    expect(await findBridges(home)).toEqual({ bridges: [], problems: [] });
  });

  it('sockets of bridges that have ended are removed; those of running ones and of other machines, and other files, stay', async () => {
    mkdirSync(place(), { recursive: true });
    const [stale, living, foreign, notes] = [newSocketName(11), newSocketName(12), FOREIGN, 'notes.txt'].map((name) =>
      join(place(), name),
    ) as [string, string, string, string];
    for (const path of [notes, stale, foreign]) writeFileSync(path, '');
    const server = createServer().listen(living);
    await once(server, 'listening');
    await listen();
    await expect.poll(() => existsSync(stale)).toBe(false);
    expect([living, foreign, notes].map((path) => existsSync(path))).toEqual([true, true, true]);
    server.close();
  });

  it('each bridge has its own, and all of them are found', async () => {
    await listen();
    await listen();
    const { bridges } = await findBridges(home);
    expect(bridges.map(({ status }) => [status.pid, status.folders])).toEqual([
      [1, [folder]],
      [1, [folder]],
    ]);
    expect((await findBridges(home, { pid: 2 })).bridges).toEqual([]);
    for (const { client: found } of bridges) await found.close();
  });

  it('a bridge that does not answer is a problem, not a wait', async () => {
    mkdirSync(place(), { recursive: true });
    const held: Socket[] = [];
    const server = createServer((socket) => held.push(socket)).listen(join(place(), newSocketName(12)));
    await once(server, 'listening');
    const { bridges, problems } = await findBridges(home, { answerMs: 50 });
    expect(bridges).toEqual([]);
    expect(problems[0]?.message).toContain('does not answer');
    for (const socket of held) socket.destroy();
    server.close();
  });

  it('is elsewhere if its path would be too long, and there too it is private', async () => {
    home = { stateFolder: join(folder, 'long'.repeat(30)), temporaryFolder: folder };
    expect(place()).toContain(join(folder, `hawser-${process.getuid?.()}-`));
    await listen();
    expect(statSync(place()).mode & 0o777).toBe(0o700);
    expect(await (await client()).list()).toEqual([]);
    const { stateFolder } = home;
    expect(() => controlFolder({ stateFolder, temporaryFolder: stateFolder })).toThrow('set XDG_STATE_HOME');
  });

  it('with 300 reviewers, those beyond the limit are refused with a reason and the others and commands are answered', async () => {
    await listen();
    const attached: ControlClient[] = [];
    const refusals = new Set<string>();
    for (let count = 0; count < 300; count += 1) {
      const reviewer = await client();
      await reviewer
        .attach(new User(), () => {})
        .then(
          () => attached.push(reviewer),
          (error: Error) => refusals.add(error.message),
        );
    }
    expect(attached).toHaveLength(64);
    expect([...refusals]).toEqual(['64 reviewers are attached already; close one of them first']);
    expect((await (await client()).status()).reviewers).toHaveLength(64);
    for (const each of attached) await each.close();
  });

  it('a connection beyond the limit gets the reason', async () => {
    await listen();
    const idle = await Promise.all(Array.from({ length: 256 }, client));
    await idle.at(-1)?.list();
    await expect((await client()).status()).rejects.toThrow('The bridge has 256 connections from commands already');
    for (const each of idle) await each.close();
  });
});

describe('what is said on it', () => {
  it.each([
    ['no JSON', '{', -32700, null],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"rm"}', -32601, 1],
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
    [{ kind: 'maybe' }, 'decision.kind must be accepted, rejected or changesRequested'],
    [{ kind: 'accepted', hunks: [-1] }, 'decision.hunks must be whole numbers from 0'],
    [{ kind: 'accepted', hunks: 'all' }, 'decision.hunks must be whole numbers from 0'],
    [{ kind: 'accepted', text: 7 }, 'decision.text must be a string'],
    [undefined, 'decision.kind must be accepted, rejected or changesRequested'],
    [{ kind: 'rejected', notes: 'no' }, 'decision.notes must be at most 1000 notes'],
    [{ kind: 'rejected', notes: [{}] }, 'decision.notes must have texts'],
    [{ kind: 'rejected', notes: [{ text: 'x', lines: { first: 0 } }] }, 'must have a side'],
  ])('an invalid decision decides nothing: %j', async (decision, why) => {
    await listen();
    const params = { id: await proposed(), decision };
    const [answer] = await raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'proposals/decide', params }));
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining(why) } });
    expect(reviews.list()).toHaveLength(1);
  });

  it('a hunk that the change does not have decides nothing', async () => {
    await listen();
    const bridge = await client();
    const reason = 'There is no hunk 8; the change has 1';
    const decision = { kind: 'accepted', hunks: [7] } as const;
    expect(await bridge.decide(await proposed(), decision)).toEqual({ kind: 'failed', reason });
    expect(reviews.list()).toHaveLength(1);
  });

  it('an id can be shortened to four characters', async () => {
    await listen();
    const bridge = await client();
    const id = await proposed();
    expect((await bridge.get(id.slice(0, 4))).id).toBe(id);
    await expect(bridge.get(id.slice(0, 3))).rejects.toThrow(`There is no proposal ${id.slice(0, 3)}`);
  });

  it('a reviewer gets the open proposals, then what is added and removed, each once', async () => {
    await listen();
    const bridge = await client();
    const user = new User();
    const first = await proposed({ newText: 'first' });
    const next = user.next();
    await bridge.attach(user, () => {});
    expect((await next).proposal).toMatchObject({ id: first, oldText: 'old', newText: 'first' });
    const second = await proposed({ newText: 'second' });
    await reviews.decide(first, { kind: 'rejected' }, 0, 'a test');
    const ended = once(user.shown[0]?.signal as AbortSignal, 'abort');
    await ended;
    await expect.poll(() => user.shown).toHaveLength(2);
    expect(user.shown[1]?.proposal.id).toBe(second);
    expect(await user.shown[1]?.decide({ kind: 'accepted', text: 'second' })).toEqual({
      kind: 'decided',
      outcome: { kind: 'accepted', text: 'as proposed', writer: 'agent', by: 'user' },
    });
    await bridge.close();
    await expect.poll(() => reviews.reviewerNames()).toEqual([]);
  });

  it('an acceptance without the revision of a changed file is refused, with it it counts', async () => {
    await listen();
    const bridge = await client();
    const id = await proposed({ oldText: 'a\nb\nc\n', newText: 'A\nb\nc\n' });
    reviews.refresh(id, 'a\nb\nC\n');
    expect(await bridge.decide(id, { kind: 'accepted' })).toEqual({ kind: 'stale', revision: 1 });
    expect(await bridge.decide(id, { kind: 'accepted' }, 1)).toMatchObject({ kind: 'decided' });
  });

  it('a reviewer gets open proposals of 90 MB', async () => {
    await listen();
    const newText = 'x'.repeat(30_000_000);
    for (let count = 0; count < 3; count += 1) await proposed({ newText });
    const [bridge, user] = [await client(), new User()];
    await bridge.attach(user, () => {});
    await expect.poll(() => user.shown).toHaveLength(3);
    expect(user.shown.every(({ proposal }) => proposal.newText === newText)).toBe(true);
    await bridge.close();
  });

  it('a change of ten million characters arrives whole', async () => {
    await listen();
    const bridge = await client();
    const newText = 'é"\\\n'.repeat(2_500_000);
    const id = await proposed({ newText });
    expect((await bridge.get(id)).newText === newText).toBe(true);
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
