import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import type { Applier } from '../applier.ts';
import type { Proposal } from '../proposal.ts';
import { ReviewQueue } from '../queue.ts';
import { NoSnapshot, Since } from './since.ts';

const { signal } = new AbortController();
let folder: string;
let reviews: ReviewQueue;
let since: Since;

/** Writes to the files themselves. */
const applier: Applier = {
  apply: async (writes) =>
    writes.map(({ path, text }) => {
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
      return { accepted: text ?? '', saved: text ?? '' };
    }),
};

beforeEach(() => {
  folder = temporaryFolder();
  reviews = new ReviewQueue({ applier });
  const onProblem = (problem: Error) => {
    throw problem;
  };
  since = new Since({ reviews, folders: () => [folder], suspect: () => ({ name: 'agent' }), onProblem });
});

const at = (name: string) => join(folder, name);
const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);

function write(files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}

const proposalOf = (name: string) => reviews.list().find(({ path }) => path === at(name)) as Proposal;
const decide = (name: string, kind: 'accepted' | 'rejected', more: object = {}) =>
  reviews.decide(proposalOf(name).id, { kind, ...more }, proposalOf(name).revision, 'test');

describe.each(['with git', 'without git'])('what has changed since a turn began, %s', (how) => {
  const start = async () => {
    if (how === 'with git') git('init', '--quiet');
    write({
      '.gitignore': '*.log\n',
      'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n',
      'gone.txt': 'gone\n',
    });
    if (how === 'with git') {
      git('add', '.');
      git('commit', '--quiet', '-m', 'first');
    }
    write({ 'mine.txt': 'typed before\n' });
    await since.mark('agent got a prompt');
  };

  it('is kept or taken back, by hunk', async () => {
    await start();
    write({
      'a.txt': 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\n',
      'mine.txt': 'changed\n',
      'made.txt': 'made\n',
    });
    rmSync(at('gone.txt'));
    const found = await since.propose(signal);
    expect(found).toMatchObject({ event: 'agent got a prompt', proposed: 4, unknown: [], isCut: false });
    expect(reviews.list().map(({ effect }) => effect)).toEqual(['noticed', 'noticedDelete', 'noticed', 'noticed']);
    await decide('a.txt', 'accepted', { hunks: [1] });
    await decide('mine.txt', 'rejected');
    await decide('made.txt', 'rejected');
    await decide('gone.txt', 'rejected');
    expect(['a.txt', 'mine.txt', 'made.txt', 'gone.txt'].map(text)).toEqual([
      'one\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\n',
      'typed before\n',
      undefined,
      'gone\n',
    ]);
  });

  it('is nothing if nothing has changed, and what is in the queue is not there twice', async () => {
    await start();
    expect(await since.propose(signal)).toMatchObject({ proposed: 0 });
    write({ 'a.txt': 'changed\n' });
    await since.propose(signal);
    expect(await since.propose(signal)).toMatchObject({ proposed: 1 });
    expect(reviews.list()).toHaveLength(1);
  });

  it('names files of which there is no text to show', async () => {
    await start();
    write({ 'a.txt': Buffer.from([0, 1]) });
    expect(await since.propose(signal)).toMatchObject({ proposed: 0, unknown: [at('a.txt')] });
  });

  it('a later turn has changes of its own', async () => {
    await start();
    write({ 'a.txt': 'changed\n' });
    await since.mark('agent got another prompt');
    expect(await since.propose(signal)).toMatchObject({ event: 'agent got another prompt', proposed: 0 });
  });
});

it('what is committed since is shown, too, and neither the index nor a reference is touched', async () => {
  git('init', '--quiet');
  write({ 'a.txt': 'a\n', 'staged.txt': 's\n' });
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'first');
  git('add', 'staged.txt');
  const state = () => [git('status', '--porcelain'), git('for-each-ref'), readFileSync(at('.git/index'), 'latin1')];
  const before = state();
  await since.mark('x');
  expect(state()).toEqual(before);
  write({ 'a.txt': 'committed\n' });
  git('commit', '--quiet', '-am', 'second');
  const committed = state();
  expect(await since.propose(signal)).toMatchObject({ proposed: 1 });
  expect(state()).toEqual(committed);
});

it('without a snapshot it says so', async () => {
  await expect(since.propose(signal)).rejects.toThrow(NoSnapshot);
});
