import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { User } from '../../../testing/user.ts';
import type { Decision, ProposedChange } from '../proposal.ts';
import { ReviewQueue } from '../queue.ts';
import { History } from './history.ts';
import { rememberDecisions } from './remember.ts';
import { NothingToUndo, undoOf } from './undo.ts';

const change: ProposedChange = { path: '/w/a.ts', title: 'a', oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n', agent: 'x' };

/** Proposes each change and decides it; resolves to what is remembered, the newest first. */
async function remembered(history: History, ...decided: (readonly [Partial<ProposedChange>, Decision])[]) {
  const queue = new ReviewQueue();
  const user = new User();
  queue.attach(user);
  const stop = rememberDecisions(queue, history, (problem) => {
    throw problem;
  });
  for (const [given, decision] of decided) {
    const shown = user.next();
    void queue.propose({ ...change, ...given }, { owner: queue, signal: new AbortController().signal });
    await (await shown).decide(decision);
  }
  stop();
  return history.list();
}

const accepted: Decision = { kind: 'accepted' };

describe('the history', () => {
  it('has what was decided, by whom and where, with notes and texts', async () => {
    const folder = temporaryFolder();
    const history = new History(folder);
    const notes = [{ text: 'no' }];
    const list = await remembered(history, [{}, { kind: 'accepted', hunks: [0] }], [{}, { kind: 'rejected', notes }]);
    const common = { path: '/w/a.ts', agent: 'x', effect: 'edit', by: 'user', time: expect.stringMatching(/^20..-/) };
    expect(list).toMatchObject([
      { ...common, decision: 'rejected', notes },
      { ...common, decision: 'accepted', writer: 'agent', notes: [] },
    ]);
    const [rejected, part] = list;
    expect(part && history.textsOf(part)).toEqual({ ...texts, accepted: 'A\nb\nc\n' });
    expect(rejected && history.textsOf(rejected)).toEqual({ ...texts, accepted: undefined });
    expect(new History(folder).list()).toEqual(list);
  });

  const texts = { oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n', lost: [] };

  it('is readable for this user alone, and has no texts but in files', async () => {
    const folder = temporaryFolder();
    await remembered(new History(folder), [{}, accepted]);
    const home = join(folder, 'history');
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'decisions.jsonl')).mode & 0o777).toBe(0o600);
    for (const name of readdirSync(join(home, 'texts'))) {
      expect(statSync(join(home, 'texts', name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(home, 'decisions.jsonl'), 'utf8')).not.toContain('\\n');
  });

  it('does not remember what was withdrawn', async () => {
    const queue = new ReviewQueue();
    const history = new History(temporaryFolder());
    const stop = rememberDecisions(queue, history, () => {});
    const outcome = queue.propose(change, { owner: queue, signal: new AbortController().signal });
    await new Promise(setImmediate);
    queue.withdrawAll(queue, 'gone');
    await outcome;
    stop();
    expect(history.list()).toEqual([]);
  });

  it('keeps the newer decisions and texts when there is no more room', async () => {
    const history = new History(temporaryFolder(), { maxBytes: 2000, maxTextBytes: 50 });
    const many = Array.from({ length: 20 }, (_, nth) => [{ newText: `${nth} ${'x'.repeat(20)}\n` }, accepted] as const);
    const list = await remembered(history, ...many);
    expect(list.length).toBeLessThan(15);
    const [newest, oldest] = [list[0], list.at(-1)];
    expect(newest && history.textsOf(newest).newText).toMatch(/^19 /);
    expect(oldest && history.textsOf(oldest).lost).toContain('newText');
  });

  it('passes over lines that it can’t read', async () => {
    const folder = temporaryFolder();
    const history = new History(folder);
    await remembered(history, [{}, accepted]);
    writeFileSync(join(folder, 'history', 'decisions.jsonl'), '{"id":"half\n[]\n{}\n', { flag: 'a' });
    expect(history.list()).toHaveLength(1);
  });
});

describe('undo', () => {
  const undone = async (given: Partial<ProposedChange>, decision: Decision, fileText: string | undefined) => {
    const history = new History(temporaryFolder());
    const [newest] = await remembered(history, [given, decision]);
    if (newest === undefined) throw new Error('Nothing is remembered');
    return undoOf(newest, history.textsOf(newest), fileText);
  };

  it('brings the old text back, and keeps what was changed in other lines since', async () => {
    expect(await undone({}, accepted, 'A\nb\nC\n')).toMatchObject({
      ...{ path: '/w/a.ts', oldText: 'A\nb\nC\n', newText: 'a\nb\nc\n', agent: 'hawser undo' },
      title: 'Undo the change of /w/a.ts by x',
    });
    const tall = { oldText: 'a\nb\nc\nd\ne\n', newText: 'A\nb\nc\nd\ne\n' };
    expect(await undone(tall, accepted, 'A\nb\nc\nd\nE\n')).toMatchObject({ newText: 'a\nb\nc\nd\nE\n' });
  });

  it('shows the old text where later changes are in the way', async () => {
    expect(await undone({}, accepted, 'mine\nb\nC\n')).toMatchObject({ oldText: 'mine\nb\nC\n', newText: 'a\nb\nc\n' });
  });

  it('takes back only what was accepted', async () => {
    const part: Decision = { kind: 'accepted', hunks: [0] };
    expect(await undone({}, part, 'A\nb\nc\n')).toMatchObject({ newText: 'a\nb\nc\n' });
  });

  it('removes a file that was made, and brings one back that was deleted', async () => {
    const made = { oldText: undefined, newText: 'new\n' };
    expect(await undone(made, accepted, 'new\n')).toMatchObject({ newText: '', effect: 'delete' });
    const deleted = { oldText: 'old\n', newText: '', effect: 'delete' } as const;
    expect(await undone(deleted, accepted, undefined)).toMatchObject({ oldText: undefined, newText: 'old\n' });
  });

  it('keeps the line ends of the file', async () => {
    expect(await undone({}, accepted, 'A\r\nb\r\nC\r\n')).toMatchObject({ newText: 'a\r\nb\r\nc\r\n' });
  });

  it('of a noticed change that was reverted brings it back', async () => {
    const noticed = { effect: 'noticed' } as const;
    const history = new History(temporaryFolder());
    const [newest] = await remembered(history, [noticed, accepted]);
    expect(newest && undoOf(newest, history.textsOf(newest), 'A\nb\nC\n')).toMatchObject({ newText: 'a\nb\nc\n' });
  });

  it.each([
    ['a rejected proposal', { kind: 'rejected' }, 'a\nb\nc\n', 'was not changed'],
    ['what is as it was', accepted, 'a\nb\nc\n', 'is as it was before'],
  ] as const)('of %s says that there is nothing to do', async (_what, decision, fileText, why) => {
    const undoing = undone({}, decision, fileText);
    await expect(undoing).rejects.toThrow(NothingToUndo);
    await expect(undoing).rejects.toThrow(why);
  });
});
