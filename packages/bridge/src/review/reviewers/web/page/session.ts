import { Store } from '@hawser/page-parts/store';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { DiagnosticsList, LoggedDecision, Status } from '../../../../control/calls.ts';
import type { ControlClient } from '../../../../control/control-client.ts';
import type { TrafficEntry } from '../../../../traffic/traffic.ts';
import type { ReviewedChange } from '../../../viewing/reviewed-change.ts';
import { WebReview } from '../web-review.ts';
import { Drafts } from './drafts.ts';
import { notify } from './notifications.ts';
import { type LinkState, PageLink } from './page-link.ts';

const MAX_TRAFFIC = 1000;

export type ViewName = 'review' | 'agents' | 'traffic' | 'problems' | 'log';

/** What the user is asked or told in front of the view. */
export type Dialog =
  | { readonly kind: 'note'; readonly about: 'line' | 'hunk' | 'change' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'many'; readonly decision: 'accept' | 'reject' }
  | { readonly kind: 'drop edit' }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' };

/** Everything the page knows. Views read the stores and call the methods. */
export class Session {
  readonly link = new Store<LinkState>('connecting');
  readonly status = new Store<Status | undefined>(undefined);
  /** Counts changes of the review, which is mutable and can't be compared. */
  readonly reviewed = new Store(0);
  readonly view = new Store<ViewName>('review');
  readonly dialog = new Store<Dialog | undefined>(undefined);
  /** The id of the change whose result the user edits. */
  readonly editing = new Store<string | undefined>(undefined);
  readonly traffic = new Store<readonly TrafficEntry[]>([]);
  readonly log = new Store<readonly LoggedDecision[]>([]);
  readonly diagnostics = new Store<DiagnosticsList | undefined>(undefined);
  readonly review: WebReview;
  readonly drafts = new Drafts();
  readonly #link: PageLink;
  #client: ControlClient | undefined;
  #isWatching = false;

  constructor() {
    this.review = new WebReview({
      redraw: () => this.#redraw(),
      nameOf: (path) => this.nameOf(path),
      keepText: async (path, text) => (await this.#bridge.keepText(path, text)).file,
      arrived: (change) => this.#arrived(change),
      takeTyped: (change) => {
        const text = this.drafts.editOf(change);
        this.drafts.dropEdit(change);
        return text;
      },
    });
    this.#link = new PageLink({
      connected: (client) => this.#connected(client),
      lost: () => this.review.lost(),
      changed: (state) => this.link.set(state),
    });
  }

  start(): void {
    void this.#link.start();
  }

  nameOf(path: string): string {
    const folder = this.status.value?.folders.find((each) => path.startsWith(`${each}/`));
    return folder === undefined ? path : path.slice(folder.length + 1);
  }

  show(view: ViewName): void {
    this.view.set(view);
    if (view === 'log') this.#attempt(async (bridge) => this.log.set(await bridge.log()));
    if (view === 'problems') this.#readDiagnostics();
    if (view === 'traffic') this.#watchTraffic();
  }

  /** Keys are for the editor. */
  get isEditing(): boolean {
    const { current } = this.review;
    return current !== undefined && current.outcome === undefined && current.id === this.editing.value;
  }

  togglePause(): void {
    const isPaused = this.status.value?.paused === true;
    this.#attempt((bridge) => (isPaused ? bridge.resume() : bridge.pause()));
  }

  disconnect(id: string): void {
    this.#attempt((bridge) => bridge.disconnect(id));
  }

  /** Proposes what takes a decision back, and shows it. */
  undo(id?: string): void {
    this.#attempt(async (bridge) => {
      const { id: proposal, title } = await bridge.undo(id);
      this.show('review');
      const change = this.review.changes.entries.find((each) => each.id === proposal);
      if (change !== undefined) this.review.select(change);
      this.review.say(`${title}: waits for your decision.`);
    });
  }

  async loggedTexts(id: string) {
    return await this.#bridge.loggedTexts(id);
  }

  get #bridge(): ControlClient {
    if (this.#client === undefined) throw new Error('Not connected');
    return this.#client;
  }

  async #connected(client: ControlClient): Promise<void> {
    this.#client = client;
    this.#isWatching = false;
    await client.attach(this.review.reviewer, (status) => this.#setStatus(status));
    const open = await client.list();
    this.review.resumed(new Set(open.map(({ id }) => id)));
    if (this.view.value !== 'review') this.show(this.view.value);
  }

  #setStatus(status: Status): void {
    const before = this.status.value;
    this.status.set(status);
    if (this.view.value === 'problems' && before?.diagnosticsRevision !== status.diagnosticsRevision) {
      this.#readDiagnostics();
    }
    if (this.view.value === 'log' && before?.proposals !== status.proposals) this.show('log');
  }

  #arrived(change: ReviewedChange): void {
    this.drafts.restore(change);
    notify(change.proposal.agent, this.nameOf(change.proposal.path));
  }

  #redraw(): void {
    this.drafts.keep(this.review.changes.entries);
    this.reviewed.update((count) => count + 1);
  }

  #readDiagnostics(): void {
    this.#attempt(async (bridge) => this.diagnostics.set(await bridge.diagnostics()));
  }

  #watchTraffic(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.traffic.set([]);
    this.#attempt((bridge) =>
      bridge.watchTraffic(({ entries }) => this.traffic.update((all) => [...all, ...entries].slice(-MAX_TRAFFIC))),
    );
  }

  #attempt(act: (bridge: ControlClient) => Promise<unknown>): void {
    const failed = (error: unknown) => this.review.say(messageOf(error));
    try {
      act(this.#bridge).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
