import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { User } from '../../testing/user.ts';
import type { FileWrite } from './applier.ts';
import type { Decision, Note, ProposedChange } from './proposal.ts';
import { ReviewQueue } from './queue.ts';

/** A reviewer, and a way to act as its user. */
export interface ReviewerUnderTest {
  attach(queue: ReviewQueue): Promise<void>;
  /** `user`, or what the reviewer decides by itself. */
  readonly decides: 'user' | ((change: ProposedChange) => Decision);
  /**
   * Decides on the proposal with that path as soon as it is shown: writes the notes, marks the hunks, and an acceptance
   * without a text takes what is shown. Resolves when the decision was made.
   */
  decide?(path: string, decision: Decision): Promise<void>;
  /** Closes the view of a proposal, as soon as it is shown, without deciding. */
  dismiss?(path: string): Promise<void>;
  /** Resolves when the proposal is on the screen. */
  shown?(path: string): Promise<void>;
  /** Resolves when the view of the proposal on the screen says this. */
  says?(path: string, words: string): Promise<void>;
  /** Resolves when the proposal is no longer open on the screen. */
  gone?(path: string): Promise<void>;
  dispose(): Promise<void>;
}

export interface ReviewerNotes {
  /** Why the reviewer, or its test, lacks something. */
  readonly lacks?: Partial<Record<keyof ReviewerUnderTest | 'rounds', string>>;
}

const OLD_TEXT = 'one\ntwo\nthree\nfour\n';

/** What every reviewer does. The folder that it is made for is the workspace. */
export function describeReviewer(
  name: string,
  make: (folder: string) => Promise<ReviewerUnderTest>,
  { lacks = {} }: ReviewerNotes = {},
): void {
  describe(`${name} keeps the contract of a reviewer`, () => {
    let folder: string;
    let underTest: ReviewerUnderTest;
    let queue: ReviewQueue;
    let problems: Error[];
    let writes: FileWrite[];
    /** Why the next writes fail. */
    const failures: string[] = [];
    const { signal } = new AbortController();

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-reviewer-')));
      underTest = await make(folder);
      problems = [];
      writes = [];
      const apply = async (given: readonly FileWrite[]) => {
        const failure = failures.shift();
        if (failure !== undefined) throw new Error(failure);
        writes.push(...given);
        return given.map(({ text = '' }) => ({ accepted: text, saved: text }));
      };
      queue = new ReviewQueue({ applier: { apply }, onProblem: (problem) => problems.push(problem) });
    });

    afterEach(async () => {
      await queue.close('the test is over');
      await underTest.dispose();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      expect(problems).toEqual([]);
    });

    const changeOf = async (fileName: string, file: 'exists' | 'is new' = 'exists') => {
      const path = join(folder, fileName);
      const oldText = file === 'exists' ? OLD_TEXT : undefined;
      if (oldText !== undefined) await writeFile(path, oldText);
      const newText = `ONE ${fileName}\ntwo\nthree\nfour\n`;
      return { path, title: fileName, oldText, newText, agent: 'an agent' };
    };
    const propose = (change: ProposedChange, by: AbortSignal = signal) =>
      queue.propose(change, { owner: queue, signal: by });
    /** A change of a.txt that the reviewer shows. */
    const proposeShown = async (shown: (path: string) => Promise<unknown> | unknown) => {
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      await shown(change.path);
      return { change, outcome };
    };
    /** Lets the user decide, or the reviewer, and gives what the outcome has to be. */
    const decided = async (change: ProposedChange, wanted: Decision): Promise<Decision> => {
      if (underTest.decides !== 'user') return underTest.decides(change);
      await underTest.decide?.(change.path, wanted);
      return wanted;
    };
    const present = <Member>(
      context: TestContext,
      member: Member | undefined,
      what: keyof ReviewerUnderTest,
    ): Member => {
      if (member === undefined) context.skip(lacks[what] ?? `it has no ${what}`);
      return member as Member;
    };

    it.for<[string, (newText: string) => Decision]>([
      ['accepted', (text) => ({ kind: 'accepted', text })],
      ['accepted with another text', () => ({ kind: 'accepted', text: 'something else' })],
      ['rejected', () => ({ kind: 'rejected' })],
    ])('a proposal is %s, and the file is not written', async ([, decision]) => {
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      const expected = await decided(change, decision(change.newText));
      expect(await outcome).toMatchObject(expected);
      expect(await readFile(change.path, 'utf8')).toBe(change.oldText);
    });

    it('a new file can be proposed', async () => {
      await underTest.attach(queue);
      const change = await changeOf('new.txt', 'is new');
      const outcome = propose(change);
      const expected = await decided(change, { kind: 'accepted', text: change.newText });
      expect(await outcome).toMatchObject(expected);
    });

    it('a proposal that was open before the reviewer was attached is shown', async () => {
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      await new Promise(setImmediate);
      await underTest.attach(queue);
      const expected = await decided(change, { kind: 'accepted', text: change.newText });
      expect(await outcome).toMatchObject(expected);
    });

    it('several proposals are open at once, and each gets its own decision', async () => {
      await underTest.attach(queue);
      const changes = await Promise.all(['1.txt', '2.txt', '3.txt', '4.txt'].map((each) => changeOf(each)));
      const outcomes = changes.map((change) => propose(change));
      const expected: Decision[] = [];
      for (const change of changes.toReversed()) {
        expected.unshift(await decided(change, { kind: 'accepted', text: change.newText }));
      }
      expect(await Promise.all(outcomes)).toMatchObject(expected);
    });

    it('closing the view without a decision rejects the proposal', async (context) => {
      const dismiss = present(context, underTest.dismiss?.bind(underTest), 'dismiss');
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      await dismiss(change.path);
      expect(await outcome).toMatchObject({ kind: 'rejected' });
    });

    it('a withdrawn proposal disappears, and no other', async (context) => {
      const shown = present(context, underTest.shown?.bind(underTest), 'shown');
      const gone = present(context, underTest.gone?.bind(underTest), 'gone');
      await underTest.attach(queue);
      const [first, second] = [await changeOf('1.txt'), await changeOf('2.txt')];
      const request = new AbortController();
      const withdrawn = propose(first, request.signal);
      await shown(first.path);
      const outcome = propose(second);
      request.abort();
      expect(await withdrawn).toMatchObject({ kind: 'withdrawn' });
      await gone(first.path);
      const expected = await decided(second, { kind: 'rejected' });
      expect(await outcome).toMatchObject(expected);
    });

    it('a proposal that another reviewer decides disappears', async (context) => {
      const shown = present(context, underTest.shown?.bind(underTest), 'shown');
      const gone = present(context, underTest.gone?.bind(underTest), 'gone');
      const other = new User();
      queue.attach(other);
      const { change, outcome } = await proposeShown(shown);
      await other.shown[0]?.decide({ kind: 'accepted', text: 'decided elsewhere' });
      expect(await outcome).toMatchObject({ kind: 'accepted', text: 'decided elsewhere' });
      await gone(change.path);
    });

    it('when the file changes, the user decides on the new text', async (context) => {
      const shown = present(context, underTest.shown?.bind(underTest), 'shown');
      const { change, outcome } = await proposeShown(shown);
      const [proposal] = queue.list();
      queue.refresh(proposal?.id ?? '', 'one\ntwo\nthree\nFOUR\n');
      const merged = 'ONE a.txt\ntwo\nthree\nFOUR\n';
      expect(queue.list()[0]).toMatchObject({ newText: merged, revision: 1, base: 'merged' });
      await underTest.decide?.(change.path, { kind: 'accepted', text: merged });
      expect(await outcome).toMatchObject({ kind: 'accepted', text: merged });
    });

    it('what could not be written is open again with the reason, and can be accepted again', async (context) => {
      const decide = present(context, underTest.decide?.bind(underTest), 'decide');
      const says = present(context, underTest.says?.bind(underTest), 'says');
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = queue.propose(change, { owner: queue, signal, writer: 'bridge' });
      failures.push('The disk is full');
      await decide(change.path, { kind: 'accepted', text: 'mine\n' });
      await says(change.path, 'The disk is full');
      expect([writes, queue.list().length]).toEqual([[], 1]);
      await decide(change.path, { kind: 'accepted' });
      expect(await outcome).toMatchObject({ kind: 'accepted', text: 'mine\n' });
      expect(writes).toMatchObject([{ path: change.path, text: 'mine\n' }]);
    });

    it('the user asks for changes, with notes on lines and on the whole', async (context) => {
      const decide = present(context, underTest.decide?.bind(underTest), 'decide');
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      await decide(change.path, { kind: 'changesRequested', notes: NOTES });
      const ended = await outcome;
      expect(ended).toMatchObject({ kind: 'changesRequested' });
      expect(ended.kind === 'changesRequested' && ended.notes.toSorted(byText)).toEqual(NOTES.toSorted(byText));
    });

    it.for(['accepted', 'rejected'] as const)('a proposal is %s with a note', async (kind, context) => {
      const decide = present(context, underTest.decide?.bind(underTest), 'decide');
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const outcome = propose(change);
      await decide(change.path, { kind, notes: [{ text: 'next time ask' }] });
      expect(await outcome).toMatchObject({ kind, notes: [{ text: 'next time ask' }] });
    });

    it('the next round shows the notes of the last one; a hunk that was decided then and did not change stays decided', async (context) => {
      if (lacks.rounds !== undefined) context.skip(lacks.rounds);
      const decide = present(context, underTest.decide?.bind(underTest), 'decide');
      const says = present(context, underTest.says?.bind(underTest), 'says');
      await underTest.attach(queue);
      const change = await changeOf('a.txt');
      const first = propose({ ...change, newText: 'ONE\ntwo\nthree\nFOUR\n' });
      const notes: Note[] = [{ text: 'spell it out', lines: { side: 'new', first: 3, count: 1 } }];
      await decide(change.path, { kind: 'changesRequested', notes, marks: ['rejected'] });
      expect(await first).toMatchObject({ kind: 'changesRequested', notes });
      const second = propose({ ...change, newText: 'ONE\ntwo\nthree\nnumber four\n' });
      await says(change.path, 'spell it out');
      await decide(change.path, { kind: 'accepted' });
      expect(await second).toMatchObject({ kind: 'accepted', text: 'one\ntwo\nthree\nnumber four\n' });
    });
  });
}

const NOTES: readonly Note[] = [
  { text: 'Why', lines: { side: 'new', first: 0, count: 1 } },
  { text: 'not this', lines: { side: 'old', first: 0, count: 1 } },
  { text: 'all of it' },
];

function byText(one: Note, other: Note): number {
  return one.text.localeCompare(other.text);
}
