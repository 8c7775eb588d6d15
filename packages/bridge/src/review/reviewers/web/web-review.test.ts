import { memoryPair } from '@hawser/mcp';
import { expect, it, onTestFinished } from 'vitest';
import { controlledEditor } from '../../../../testing/controlled.ts';
import { controlClient } from '../../../control/connected-client.ts';
import { Control } from '../../../control/control.ts';
import type { ControlClient } from '../../../control/control-client.ts';
import { workspaceEditor } from '../../../editors/workspace/workspace-editor.ts';
import type { Decision } from '../../proposal.ts';
import { ReviewQueue } from '../../queue.ts';
import { describeReviewer } from '../../reviewer.contract.ts';
import { describeProgress } from '../../viewing/describe.ts';
import { WebReview } from './web-review.ts';

/** The user of a page that is connected to a bridge as browsers are, without the WebSocket. */
class PageUser {
  readonly kept: { readonly path: string; readonly text: string }[] = [];
  readonly review = new WebReview({
    redraw: () => {},
    nameOf: (path) => path,
    keepText: async (path, text) => {
      this.kept.push({ path, text });
      return `/kept${path}`;
    },
  });
  #client: ControlClient | undefined;
  #close = async () => {};

  async attach(reviews: ReviewQueue, folder = '/'): Promise<void> {
    const editor = workspaceEditor({ folders: [folder] });
    const controlled = await controlledEditor(editor, folder);
    const control = new Control({ ...controlled, reviews });
    this.#close = async () => {
      await control.close();
      controlled.shared.close();
      await editor.close();
    };
    this.connect = async () => {
      const [ours, theirs] = memoryPair();
      control.connect(ours, { kind: 'page', name: 'the browser', closed: () => {} });
      this.#client = controlClient(theirs);
      await this.#client.attach(this.review.reviewer, () => {});
      this.review.resumed(new Set((await this.#client.list()).map(({ id }) => id)));
    };
    await this.connect();
  }

  connect = async () => {};

  get client(): ControlClient {
    return this.#client as ControlClient; // connected before
  }

  async lose(): Promise<void> {
    this.review.lost();
    await this.#client?.close();
  }

  async shown(path: string): Promise<void> {
    await expect.poll(() => this.#at(path)).toBeDefined();
  }

  async gone(path: string): Promise<void> {
    await expect.poll(() => this.#at(path)?.outcome === undefined && this.#at(path)).toBeFalsy();
  }

  async decide(path: string, decision: Decision): Promise<void> {
    await expect.poll(() => [this.#at(path) !== undefined, this.review.deciding.isBusy]).toEqual([true, false]);
    const change = this.#at(path);
    if (change === undefined) throw new Error(`No change of ${path}`);
    this.review.select(change);
    if (decision.kind === 'accepted' && decision.text !== undefined) this.review.edit(decision.text);
    for (const { text, lines } of decision.notes ?? []) this.review.addNote(text, lines);
    if (decision.kind === 'changesRequested') {
      for (const [hunk, mark] of (decision.marks ?? []).entries()) {
        if (mark !== 'undecided') this.review.markHunk(hunk, mark === 'accepted' ? 'yes' : 'no');
      }
      this.review.askForChanges('');
    } else if (decision.kind === 'rejected') this.review.reject();
    else {
      this.review.accept();
      // The file has changed: once more, after a look.
      if (this.review.message.startsWith('Press again')) this.review.accept();
    }
    await expect.poll(() => this.review.deciding.isBusy).toBe(false);
  }

  async says(path: string, words: string): Promise<void> {
    const shown = () => {
      const change = this.#at(path);
      if (change === undefined) throw new Error(`No change of ${path}`);
      const { items } = this.review.cursorOf(change);
      const rows = Array.from({ length: items.length }, (_, row) => items.at(row)?.cells.map((line) => line?.text));
      return [describeProgress(change), ...rows.flat()].join('\n');
    };
    await expect.poll(shown).toContain(words);
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.#close();
  }

  #at(path: string) {
    return this.review.changes.entries.find(({ proposal }) => proposal.path === path);
  }
}

describeReviewer(
  'the review page, over the wire',
  async (folder) => {
    const user = new PageUser();
    return {
      attach: (queue) => user.attach(queue, folder),
      decides: 'user',
      decide: (path, decision) => user.decide(path, decision),
      shown: (path) => user.shown(path),
      says: (path, words) => user.says(path, words),
      gone: (path) => user.gone(path),
      dispose: () => user.close(),
    };
  },
  { lacks: { dismiss: 'closing the page leaves its proposals open' } },
);

const CHANGE = { path: '/w/a.txt', title: 'a', oldText: 'one\ntwo\n', newText: 'ONE\ntwo\n', agent: 'an agent' };

async function reviewing() {
  const [queue, user] = [new ReviewQueue(), new PageUser()];
  onTestFinished(async () => {
    await queue.close('the test is over');
    await user.close();
  });
  await user.attach(queue);
  const outcome = queue.propose(CHANGE, { owner: queue, signal: new AbortController().signal });
  await user.shown(CHANGE.path);
  return { queue, user, outcome };
}

it('what was typed and marked is there after the connection was lost, and is sent then', async () => {
  const { user, outcome } = await reviewing();
  const { review } = user;
  review.edit('mine\ntwo\n');
  review.addNote('so', undefined);
  await user.lose();
  review.accept();
  expect(review.message).toBe('Not connected: nothing is decided until this page is connected again.');
  await user.connect();
  expect(review.current).toMatchObject({ edited: 'mine\ntwo\n', notes: [{ text: 'so' }], outcome: undefined });
  review.accept();
  expect(await outcome).toMatchObject({ kind: 'accepted', text: 'mine\ntwo\n', notes: [{ text: 'so' }] });
});

it('a change that ended while the page was away is no longer open, and what was typed is kept in a file', async () => {
  const { queue, user, outcome } = await reviewing();
  user.review.edit('mine\n');
  await user.lose();
  const [proposal] = queue.list();
  await queue.decide(proposal?.id ?? '', { kind: 'rejected' }, 0, 'the terminal');
  await outcome;
  await user.connect();
  await expect.poll(() => user.review.message).toBe('Your version is kept in /kept/w/a.txt');
  expect(user.review.current?.outcome?.kind).toBe('withdrawn');
  expect(user.kept).toEqual([{ path: '/w/a.txt', text: 'mine\n' }]);
});

it('a page may not do what its methods do not name', async () => {
  const { user } = await reviewing();
  const { client } = user;
  for (const refused of [
    client.stop(),
    client.environment(),
    client.readFile('/etc/passwd'),
    client.openPage({ hours: 1 }),
  ]) {
    await expect(refused).rejects.toThrow('Method not found');
  }
});
