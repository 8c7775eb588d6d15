import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryPair } from '@hawser/mcp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EditorClient } from '../../../../testing/editor-client.ts';
import { temporaryFolder } from '../../../../testing/temporary-folder.ts';
import { acceptEditor, type RemoteEditor } from '../../../editors/remote/remote-editor.ts';
import type { Applier } from '../../applier.ts';
import type { ProposedChange } from '../../proposal.ts';
import { ReviewQueue } from '../../queue.ts';
import { describeReviewer } from '../../reviewer.contract.ts';

async function connected(stateFolder: string, capabilities: object = { proposals: {} }) {
  const [ours, theirs] = memoryPair();
  const client = new EditorClient(theirs);
  const serverInfo = { name: 'hawser', version: 'test' };
  const accepting = acceptEditor({ connection: ours, stateFolder, serverInfo, isShared: false });
  await client.initialize('/work', capabilities);
  const editor = await accepting;
  return { client, editor };
}

describeReviewer('a client of the editor protocol', async (folder) => {
  const { client, editor } = await connected(join(folder, '.state'));
  const shown = async (path: string): Promise<string> => {
    const { id } = (await client.message('proposal/show', (params) =>
      String(params && 'uri' in params && params.uri).endsWith(path),
    )) as {
      id: string;
    };
    return id;
  };
  const decide = async (path: string, decision: object) => {
    const id = await shown(path);
    await client.peer.request('proposal/decide', { id, revision: client.proposals.get(id)?.revision ?? 0, decision });
  };
  return {
    attach: async (queue) => {
      if (editor.reviewer !== undefined) queue.attach(editor.reviewer);
    },
    decides: 'user',
    decide,
    dismiss: (path) => decide(path, { kind: 'rejected' }),
    shown: async (path) => void (await shown(path)),
    gone: async (path) => {
      const id = await shown(path);
      await client.message('proposal/close', (params) => (params as { id?: string }).id === id);
    },
    dispose: () => editor.close(),
  };
});

describe('a proposal on the wire', () => {
  let state: string;
  let queue: ReviewQueue;
  let client: EditorClient;
  let editor: RemoteEditor;
  let applier: Applier;
  const problems: Error[] = [];
  const { signal } = new AbortController();

  beforeEach(() => {
    state = temporaryFolder();
    applier = { apply: async (writes) => writes.map(({ text = '' }) => ({ accepted: text, saved: text })) };
    problems.length = 0;
    queue = new ReviewQueue({
      onProblem: (problem) => problems.push(problem),
      applier: { apply: (writes) => applier.apply(writes) },
    });
  });

  afterEach(async () => {
    await queue.close('the test is over');
    await editor.close();
  });

  const start = async (capabilities: object) => {
    ({ client, editor } = await connected(state, capabilities));
    if (editor.reviewer !== undefined) queue.attach(editor.reviewer);
  };
  const change = (more: Partial<ProposedChange> = {}): ProposedChange => ({
    path: '/work/a.txt',
    title: 'a.txt',
    agent: 'an agent',
    oldText: 'one\ntwo\nthree\nfour\nfive\n',
    newText: 'ONE\ntwo\nthree\nfour\nFIVE\n',
    ...more,
  });
  const propose = (given: ProposedChange, writer: 'agent' | 'bridge' = 'agent', owner: object = queue) =>
    queue.propose(given, { owner, signal, writer });
  const shown = async (method: 'proposal/show' | 'proposal/update' = 'proposal/show') =>
    (await client.message(method)) as { id: string; revision: number; [member: string]: unknown };
  const decide = async (decision: object, revision = 0) => {
    const { id } = await shown();
    return await client.peer.request('proposal/decide', { id, revision, decision });
  };

  it('has its hunks, and some of them are accepted by index', async () => {
    await start({ proposals: {} });
    const outcome = propose(change());
    expect((await shown()).hunks).toEqual([
      [0, 1, 0, 1],
      [4, 1, 4, 1],
    ]);
    await expect(decide({ kind: 'accepted', hunks: [2] })).rejects.toMatchObject({ code: -32602 });
    expect(await decide({ kind: 'accepted', hunks: [1] })).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'one\ntwo\nthree\nfour\nFIVE\n' });
  });

  it('has plain line ends on the wire and those of the file after the decision', async () => {
    await start({ proposals: {} });
    const outcome = propose(change({ oldText: '\ufeffone\r\ntwo\r\n', newText: '\ufeffONE\r\ntwo\r\n' }));
    expect(await shown()).toMatchObject({
      oldText: 'one\ntwo\n',
      newText: 'ONE\ntwo\n',
      lineEnd: '\r\n',
      hasBom: true,
    });
    await decide({ kind: 'accepted', text: 'mine\ntwo\n' });
    expect(await outcome).toMatchObject({ text: '\ufeffmine\r\ntwo\r\n' });
  });

  it('is edited: the bridge computes the hunks, keeps choices where it can, and applies them', async () => {
    await start({ proposals: {} });
    const outcome = propose(change());
    const { id } = await shown();
    const text = 'ONE\ntwo\n3\nfour\nFIVE\n';
    const answer = await client.peer.request('proposal/hunks', { id, text, choices: ['accepted', 'rejected'] });
    expect(answer).toEqual({
      hunks: [
        [0, 1, 0, 1],
        [2, 1, 2, 1],
        [4, 1, 4, 1],
      ],
      choices: ['accepted', 'undecided', 'rejected'],
    });
    await decide({ kind: 'accepted', text, hunks: [0, 1] });
    expect(await outcome).toMatchObject({ text: 'ONE\ntwo\n3\nfour\nfive\n' });
  });

  it('what was edited is merged with the next revision, unless both changed the same lines', async () => {
    await start({ proposals: {} });
    void propose(change());
    const { id, newText } = await shown();
    queue.refresh(id, 'one\ntwo\nTHREE\nfour\nfive\n');
    const merged = async (params: object) => {
      const answer = await client.peer.request('proposal/hunks', { id, ...params });
      return (answer as { text?: string }).text;
    };
    const text = 'ONE!\ntwo\nthree\nfour\nFIVE\n';
    const touching = 'ONE\ntwo\n3\nfour\nFIVE\n';
    for (const from of [{ madeFrom: newText }, { revision: 0 }]) {
      expect(await merged({ text, ...from })).toBe('ONE!\ntwo\nTHREE\nfour\nFIVE\n');
      expect(await merged({ text: touching, ...from })).toBeUndefined();
    }
    queue.refresh(id, 'one\ntwo\n33\nfour\nfive\n');
    expect(await merged({ text, revision: 0 })).toBe('ONE!\ntwo\n33\nfour\nFIVE\n');
    expect(await merged({ text: touching, revision: 2 })).toBeUndefined();
  });

  it('what was edited of a change that was noticed is merged with the next change', async () => {
    await start({ proposals: { effects: ['edit', 'noticed'] } });
    void propose(change({ effect: 'noticed' }));
    const { id } = await shown();
    queue.refresh(id, 'ONE\ntwo\nTHREE\nfour\nFIVE\n');
    const params = { id, text: 'ONE!\ntwo\nthree\nfour\nFIVE\n', revision: 0 };
    const merged = { text: 'ONE!\ntwo\nTHREE\nfour\nFIVE\n' };
    expect(await client.peer.request('proposal/hunks', params)).toMatchObject(merged);
  });

  it('changes are asked for with notes and marks, and the next round has them', async () => {
    await start({ proposals: { rounds: true } });
    const owner = {};
    const first = propose(change(), 'agent', owner);
    const notes = [{ text: 'keep this', lines: { side: 'new', first: 4, count: 1 } }, { text: 'else fine' }];
    await decide({ kind: 'changesRequested', notes, marks: ['accepted', 'rejected'] });
    expect(await first).toMatchObject({ kind: 'changesRequested', notes });
    void propose(change({ newText: 'ONE\ntwo\nthree\nfour\nfive\n' }), 'agent', owner);
    const second = await client.message('proposal/show', (params) => 'previous' in (params ?? {}));
    expect(second).toMatchObject({
      marks: ['accepted'],
      previous: {
        round: 1,
        notes,
        marks: ['accepted', 'rejected'],
        newText: 'ONE\ntwo\nthree\nfour\nFIVE\n',
        since: { hunks: [[4, 1, 4, 1]], noteLines: expect.any(Array) },
      },
    });
    const { id } = second as { id: string };
    const text = 'ONE\n2\nthree\nfour\nfive\n';
    expect(
      await client.peer.request('proposal/hunks', { id, text, isNext: true, choices: ['rejected'] }),
    ).toMatchObject({
      hunks: [[0, 2, 0, 2]],
      previous: {
        hunks: [
          [1, 1, 1, 1],
          [4, 1, 4, 1],
        ],
      },
    });
  });

  it('a text that was made from the revision before is merged with the change of the file, and choices stay', async () => {
    await start({ proposals: {} });
    void propose(change());
    const { id } = await shown();
    queue.refresh(id, 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    await shown('proposal/update');
    const hunks = (params: object) => client.peer.request('proposal/hunks', { id, isNext: true, ...params });
    const marks = ['rejected', 'undecided'];
    expect(await hunks({ choices: marks, revision: 0 })).toMatchObject({ choices: ['rejected', 'undecided'] });
    const edited = 'ONE\ntwo\n3\nfour\nfive\n';
    const answer = await hunks({ text: edited, choices: marks, revision: 0 });
    expect(answer).toMatchObject({ text: `${edited}six\nSEVEN\n`, choices: ['rejected', 'undecided'] });
    const again = await hunks({ text: `${edited}six\nseven\n`, choices: marks, revision: 1 });
    expect(again).toMatchObject({ choices: ['rejected', 'undecided', 'undecided'] });
    expect(again).not.toHaveProperty('text');
  });

  it('a failed write is told with its reason and text, and the user decides again', async () => {
    await start({ proposals: {} });
    applier = { apply: () => Promise.reject(new Error('the disk is full')) };
    const outcome = propose(change(), 'bridge');
    expect(await decide({ kind: 'accepted', text: 'mine\n' })).toEqual({ kind: 'failed', reason: 'the disk is full' });
    const kinds = client.received
      .filter(({ method }) => method === 'proposal/progress')
      .map(({ params }) => (params as { progress?: unknown }).progress);
    expect(kinds).toMatchObject([{ kind: 'applying' }, { kind: 'failed', reason: 'the disk is full', text: 'mine\n' }]);
    applier = { apply: async () => [{ accepted: 'mine\n', saved: 'mine\n' }] };
    expect(await decide({ kind: 'rejected' })).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject({ kind: 'rejected' });
  });

  it('a decision on an older revision is stale, and the new one was sent before', async () => {
    await start({ proposals: {} });
    const outcome = propose(change());
    const { id } = await shown();
    queue.refresh(id, 'one\ntwo\nTHREE\nfour\nfive\n');
    expect(await decide({ kind: 'accepted' })).toEqual({ kind: 'stale', revision: 1 });
    expect(await shown('proposal/update')).toMatchObject({ revision: 1, base: 'merged' });
    await decide({ kind: 'accepted' }, 1);
    expect(await outcome).toMatchObject({ text: 'ONE\ntwo\nTHREE\nfour\nFIVE\n' });
    await expect(decide({ kind: 'accepted' }, 1)).rejects.toMatchObject({ code: -32001 });
  });

  it('large texts, and those with NUL, come in private files that go with the proposal', async () => {
    await start({ proposals: {}, textFiles: 1000 });
    const [oldText, newText] = ['small\0\n', `${'x'.repeat(999)}ä\n`];
    const outcome = propose(change({ oldText, newText }));
    const { oldTextFile, newTextFile, ...rest } = await shown();
    expect(rest).not.toHaveProperty('newText');
    expect(readFileSync(String(oldTextFile), 'utf8')).toBe(oldText);
    expect(readFileSync(String(newTextFile), 'utf8')).toBe(newText);
    expect(statSync(String(newTextFile)).mode & 0o777).toBe(0o600);
    expect(statSync(join(String(newTextFile), '..')).mode & 0o777).toBe(0o700);
    await decide({ kind: 'accepted' });
    expect(await outcome).toMatchObject({ text: newText });
    await client.message('proposal/close');
    expect(existsSync(String(newTextFile))).toBe(false);
    await editor.close();
    expect(await readdir(join(state, 'texts'))).toEqual([]);
  });

  it('what the editor does not show stays for other reviewers, and the user learns of it', async () => {
    await start({ proposals: {} });
    void propose(change({ effect: 'command', newText: 'make' }));
    void propose(change({ newText: 'a\0b' }));
    expect(await client.message('window/showMessage')).toMatchObject({
      message: expect.stringContaining('hawser review'),
    });
    expect(queue.list()).toHaveLength(2);
    expect(client.proposals.size).toBe(0);
    expect(problems.map(({ message }) => message).join()).toContain('NUL');
  });

  it('an editor that can not show one, or dies, leaves it to the others', async () => {
    await start({ proposals: {} });
    client.onRequest = () => {
      throw new Error('no room');
    };
    void propose(change());
    await expect.poll(() => problems.map(({ message }) => message).join()).toContain('no room');
    await client.peer.close();
    expect(queue.list()).toHaveLength(1);
  });
});
