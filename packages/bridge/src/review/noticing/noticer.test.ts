import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { realPath } from '../../access/paths.ts';
import { workspaceEditor } from '../../editors/workspace/workspace-editor.ts';
import { TemporaryFiles } from '../../temporary-files.ts';
import { editorApplier } from '../applying/editor-applier.ts';
import { SetJournal } from '../applying/set-journal.ts';
import { ReviewQueue } from '../queue.ts';
import { Noticer, type Suspect } from './noticer.ts';

let folder: string;
let editor: ReturnType<typeof workspaceEditor>;
let reviews: ReviewQueue;
let noticer: Noticer;
let suspect: Suspect | undefined;
let expected: Set<string>;
let problems: Error[];

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
}

const at = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);
/** Without the file of `watching`: on a slow machine it is written once more before the first change is seen. */
const noticed = () =>
  reviews
    .list()
    .filter(({ path }) => path !== at('src/first.ts'))
    .map(({ path, oldText, newText, effect }) => [path, oldText, newText, effect]);

beforeEach(async () => {
  folder = realpathSync(temporaryFolder());
  git('init');
  mkdirSync(at('src'));
  write('.gitignore', '*.log\n');
  write('src/a.ts', 'one\ntwo\nthree\n');
  write('gone.ts', 'gone\n');
  git('add', '.');
  git('commit', '-m', 'first');
  write('src/b.ts', 'typed by the user\n');
  suspect = { name: 'an agent', advice: 'Press a key' };
  [expected, problems] = [new Set(), []];
  editor = workspaceEditor({ folders: [folder] });
  const applier = editorApplier({
    editor,
    temporaryFiles: new TemporaryFiles(undefined),
    journal: new SetJournal(undefined),
    realPath,
  });
  reviews = new ReviewQueue({ applier });
  noticer = new Noticer({
    reviews,
    folders: () => [folder],
    suspect: () => suspect,
    isExpected: (path) => expected.has(path),
    onProblem: (problem) => problems.push(problem),
  });
  editor.subscribe((event) => event.kind === 'saved' && noticer.saved(event.path));
});

afterEach(async () => {
  noticer.close();
  await reviews.close('the test is over');
  await editor.close();
  expect(problems).toEqual([]);
});

/** Watches, and has seen a first change: from now on nothing is missed. */
async function watching(): Promise<void> {
  noticer.agentsChanged();
  await vi.waitFor(
    () => {
      if (reviews.list().length === 0) write('src/first.ts', `${Math.random()}`);
      expect(reviews.list().map(({ path }) => path)).toEqual([at('src/first.ts')]);
    },
    { timeout: 60_000, interval: 500 },
  );
  const { id = '', revision = 0 } = reviews.list()[0] ?? {};
  expect(await reviews.decide(id, { kind: 'accepted' }, revision, 'a test')).toMatchObject({ kind: 'decided' });
}

/** What is noticed once this change is: it comes last. */
async function afterAll(): Promise<unknown> {
  write('src/last.ts', 'last\n');
  await expect.poll(() => noticed().map(([path]) => path)).toContain(at('src/last.ts'));
  return noticed().filter(([path]) => path !== at('src/last.ts'));
}

describe('while an agent is connected', () => {
  it('changed, new and deleted files are shown with what they were, the user’s uncommitted text, too', async () => {
    await watching();
    write('src/a.ts', 'one\nTWO\nthree\n');
    write('src/b.ts', 'agent\n');
    write('new.ts', 'new\n');
    rmSync(at('gone.ts'));
    await expect.poll(() => noticed().length).toBeGreaterThanOrEqual(4);
    expect(noticed()).toEqual(
      expect.arrayContaining([
        [at('src/a.ts'), 'one\ntwo\nthree\n', 'one\nTWO\nthree\n', 'noticed'],
        [at('src/b.ts'), 'typed by the user\n', 'agent\n', 'noticed'],
        [at('new.ts'), undefined, 'new\n', 'noticed'],
        [at('gone.ts'), 'gone\n', '', 'noticedDelete'],
      ]),
    );
    const proposal = reviews.list().find(({ path }) => path === at('src/a.ts'));
    const title = `an agent (probably) changed ${at('src/a.ts')} without asking`;
    expect(proposal).toMatchObject({ agent: 'an agent', title, advice: 'Press a key' });
  });

  it('files that are made together with their folders are shown, also in a folder that was removed before', async () => {
    await watching();
    for (const name of ['first.ts', 'second.ts']) {
      rmSync(at('made'), { recursive: true, force: true });
      mkdirSync(at('made/deep'), { recursive: true });
      write(`made/deep/${name}`, 'new\n');
      const shown = [at(`made/deep/${name}`), undefined, 'new\n', 'noticed'];
      await expect.poll(() => noticed()).toContainEqual(shown);
    }
  });

  it('many files that change at once are shown, and Node.js warns of no leak', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', warned);
    await watching();
    for (let index = 0; index < 12; index += 1) write(`src/${index}.ts`, 'changed\n');
    await expect.poll(() => noticed()).toHaveLength(12);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('rejecting takes the change back, accepting keeps it, and the next change is compared with that', async () => {
    await watching();
    write('src/a.ts', 'one\nTWO\nthree\n');
    const decided = async (decision: { readonly kind: 'accepted' | 'rejected' }) => {
      const find = () => reviews.list().find(({ path }) => path === at('src/a.ts'));
      await expect.poll(() => find()).toBeDefined();
      const { id = '', revision = 0 } = find() ?? {};
      expect(await reviews.decide(id, decision, revision, 'a test')).toMatchObject({ kind: 'decided' });
    };
    await decided({ kind: 'rejected' });
    expect(readFileSync(at('src/a.ts'), 'utf8')).toBe('one\ntwo\nthree\n');
    // A change right after a save can't be told from it.
    await delay(600);
    write('src/a.ts', 'ONE\ntwo\nthree\n');
    await decided({ kind: 'accepted' });
    write('src/a.ts', 'ONE\ntwo\nTHREE\n');
    await expect.poll(() => noticed()[0]?.[1]).toBe('ONE\ntwo\nthree\n');
  });

  it('what the editor saves, git brings, git ignores, or an agent was handed is not shown', async () => {
    write('src/a.ts', 'committed\n');
    git('commit', '-am', 'second');
    git('checkout', 'HEAD~1', '--', 'src/a.ts');
    await watching();
    await editor.openFile({ path: at('src/b.ts') });
    editor.setText(at('src/b.ts'), 'saved\n');
    await editor.save?.(at('src/b.ts'));
    write('x.log', 'log\n');
    expected.add(at('src/handed.ts'));
    write('src/handed.ts', 'handed\n');
    git('checkout', 'HEAD', '--', 'src/a.ts');
    expect(await afterAll()).toEqual([]);
  });

  it('what the editor saves is not shown, however late the system reports it', async () => {
    await watching();
    write('src/b.ts', 'saved\n');
    noticer.saved(at('src/b.ts'));
    // No event tells that a report is late.
    await delay(200);
    utimesSync(at('src/b.ts'), 1, 1);
    expect(await afterAll()).toEqual([]);
  });

  it('what was decided, here or in the agent’s terminal, is not shown', async () => {
    await watching();
    const { signal } = new AbortController();
    const owner = {};
    const change = { title: '', agent: 'an agent', oldText: 'one\ntwo\nthree\n', newText: 'accepted\n' };
    const handed = reviews.propose({ ...change, path: at('src/a.ts') }, { owner, signal });
    const elsewhere = reviews.propose({ ...change, path: at('gone.ts'), oldText: 'gone\n' }, { owner, signal });
    await expect.poll(() => reviews.list().length).toBeGreaterThanOrEqual(2);
    const [first] = reviews.list().filter(({ path }) => path === at('src/a.ts'));
    await reviews.decide(first?.id ?? '', { kind: 'accepted' }, 0, 'a test');
    reviews.withdrawAll(owner, 'the agent closed it');
    await Promise.all([handed, elsewhere]);
    write('src/a.ts', 'accepted\n');
    write('gone.ts', 'accepted\n');
    expect(await afterAll()).toEqual([]);
  });
});

it('nothing is watched without an agent, and what was noticed goes with it', async () => {
  suspect = undefined;
  noticer.agentsChanged();
  write('src/a.ts', 'unseen\n');
  suspect = { name: 'an agent' };
  await watching();
  expect(await afterAll()).toEqual([]);
  suspect = undefined;
  noticer.agentsChanged();
  await expect.poll(() => reviews.list()).toEqual([]);
});
