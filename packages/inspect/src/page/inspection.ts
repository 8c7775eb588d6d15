import type { LogMessage, Progress, Prompt, Resource, ResourceTemplate, Tool } from '@hawser/mcp';
import { Store } from '@hawser/page-parts/store';
import type {
  AnswerOf,
  ConnectionState,
  ConnectRequest,
  Events,
  Hello,
  ListName,
  Method,
  ParamsOf,
  Problem,
  Question,
  TrafficBatch,
} from '../calls.ts';
import { CallFailed, Channel, type ChannelEnd } from './channel.ts';
import { Validator } from './form/validator.ts';
import { TrafficMessages, type TrafficView } from './traffic-messages.ts';

type CheckProgress = Events['checks/progress'];

export type Phase = 'opening' | 'open' | ChannelEnd | 'replaced';

/** A list of the server. */
export type Listing<Item> =
  | { readonly kind: 'absent' | 'loading' | 'loaded'; readonly items: readonly Item[] }
  | { readonly kind: 'failed'; readonly items: readonly Item[]; readonly problem: string };

const ABSENT = { kind: 'absent', items: [] } as const;

export interface LogLine {
  readonly key: number;
  readonly time: number;
  readonly message: LogMessage;
}

export interface Announcement {
  readonly key: number;
  readonly text: string;
  /** An alert interrupts a screen reader. */
  readonly isAlert: boolean;
}

const MAX_LOG_LINES = 1000;
const MAX_NOTICES = 5;

/** Everything the page knows. Views read the stores and call the methods. */
export class Inspection {
  readonly phase = new Store<Phase>('opening');
  readonly hello = new Store<Hello | undefined>(undefined);
  readonly server = new Store<ConnectionState>({ kind: 'disconnected' });
  readonly tools = new Store<Listing<Tool>>(ABSENT);
  readonly resources = new Store<Listing<Resource>>(ABSENT);
  readonly templates = new Store<Listing<ResourceTemplate>>(ABSENT);
  readonly prompts = new Store<Listing<Prompt>>(ABSENT);
  readonly questions = new Store<readonly Question[]>([]);
  readonly progress = new Store<ReadonlyMap<string, Progress>>(new Map());
  /** When each resource was last reported to have changed. */
  readonly updates = new Store<ReadonlyMap<string, number>>(new Map());
  readonly subscriptions = new Store<ReadonlySet<string>>(new Set());
  readonly log = new Store<readonly LogLine[]>([]);
  readonly traffic = new Store<TrafficView>({ messages: [], dropped: 0 });
  readonly notices = new Store<readonly Announcement[]>([]);
  /** Where the user logs in to the server; undefined while nobody does. */
  readonly loginPage = new Store<string | undefined>(undefined);
  readonly validator = new Validator();
  readonly announcement = new Store<Announcement>({ key: 0, text: '', isAlert: false });
  readonly #checkListeners = new Set<(params: CheckProgress) => void>();
  readonly #trafficMessages = new TrafficMessages();
  readonly #loading = new Set<ListName>();
  /** Lists that changed while they were read. */
  readonly #stale = new Set<ListName>();
  #channel: Channel | undefined;
  #keys = 0;

  /** Connects to the command. `keepToken` gets the secret for the next time. */
  async open(proof: string, keepToken: (token: string) => void): Promise<void> {
    this.phase.set('opening');
    this.#trafficMessages.clear();
    const channel = new Channel({
      proof,
      closed: (end) => {
        if (this.#channel === channel && this.phase.value !== 'replaced') this.phase.set(end);
      },
      listeners: {
        state: (state) => this.#serverChanged(state),
        traffic: (batch) => this.#addTraffic(batch),
        progress: ({ callId, ...progress }) => this.progress.update((all) => new Map(all).set(callId, progress)),
        'questions/added': (question) => {
          this.questions.update((all) => [...all, question]);
          this.announce('The server asks a question.', 'alert');
        },
        'questions/removed': ({ id }) => this.questions.update((all) => all.filter((each) => each.id !== id)),
        'lists/changed': ({ list }) => {
          this.announce(`The server changed its ${list}.`);
          void this.load(list);
        },
        'resources/updated': ({ uri }) => {
          this.updates.update((all) => new Map(all).set(uri, Date.now()));
          this.announce(`${uri} has changed.`);
        },
        log: (message) => this.#addLog(message),
        'login/page': ({ url }) => this.loginPage.set(url),
        notice: ({ message }) => this.notice(message),
        'checks/progress': (params) => {
          for (const listener of this.#checkListeners) listener(params);
        },
        replaced: () => this.phase.set('replaced'),
      },
    });
    this.#channel = channel;
    try {
      const hello = await channel.call('hello', {});
      keepToken(hello.token);
      this.hello.set(hello);
      this.questions.set(hello.questions);
      this.subscriptions.set(new Set(hello.subscriptions));
      this.phase.set('open');
      this.#serverChanged(hello.state);
    } catch {
      // `closed` says why.
    }
  }

  /** Rejects with a CallFailed. */
  call<M extends Method>(method: M, params: ParamsOf<M>, signal?: AbortSignal): Promise<AnswerOf<M>> {
    if (this.#channel === undefined) return Promise.reject(new CallFailed(new Error('The page is not connected')));
    return this.#channel.call(method, params, signal);
  }

  /** The state says how it went. A problem with the request itself is returned. */
  async connect(request: ConnectRequest): Promise<Problem | undefined> {
    try {
      await this.call('connect', request);
      return undefined;
    } catch (error) {
      const { message, advice } = error as CallFailed;
      return { message, ...(advice !== undefined && { advice }) };
    }
  }

  /** Has the user log in to the server of the last attempt. Rejects with a CallFailed. */
  async logIn(signal: AbortSignal): Promise<void> {
    try {
      await this.call('login', {}, signal);
    } finally {
      this.loginPage.set(undefined);
    }
  }

  /** Reads a list anew. Calls while it is read lead to one more reading. */
  async load(list: ListName): Promise<void> {
    if (this.#loading.has(list)) {
      this.#stale.add(list);
      return;
    }
    this.#loading.add(list);
    do {
      this.#stale.delete(list);
      await this.#read(list);
    } while (this.#stale.has(list));
    this.#loading.delete(list);
  }

  async #read(list: ListName): Promise<void> {
    switch (list) {
      case 'tools':
        return await this.#fill(this.tools, async () => (await this.call('tools/list', {})).tools);
      case 'prompts':
        return await this.#fill(this.prompts, async () => (await this.call('prompts/list', {})).prompts);
      case 'resources': {
        const both = this.call('resources/list', {});
        await Promise.all([
          this.#fill(this.resources, async () => (await both).resources),
          this.#fill(this.templates, async () => (await both).templates),
        ]);
      }
    }
  }

  /** Rejects with a CallFailed. */
  async subscribe(uri: string, what: 'begin' | 'end'): Promise<void> {
    await this.call(what === 'begin' ? 'resources/subscribe' : 'resources/unsubscribe', { uri });
    const others = [...this.subscriptions.value].filter((each) => each !== uri);
    this.subscriptions.set(new Set(what === 'begin' ? [...others, uri] : others));
  }

  onCheckProgress(listener: (params: CheckProgress) => void): () => void {
    this.#checkListeners.add(listener);
    return () => this.#checkListeners.delete(listener);
  }

  /** Says something to users of screen readers. */
  announce(text: string, kind: 'status' | 'alert' = 'status'): void {
    this.announcement.set({ key: this.#nextKey(), text, isAlert: kind === 'alert' });
  }

  /** Shows a message until the user closes it. */
  notice(text: string): void {
    const notice = { key: this.#nextKey(), text, isAlert: false };
    this.notices.update((all) => [...all, notice].slice(-MAX_NOTICES));
  }

  closeNotice(key: number): void {
    this.notices.update((all) => all.filter((notice) => notice.key !== key));
  }

  clearTraffic(): void {
    this.#trafficMessages.clear();
    this.traffic.set(this.#trafficMessages.view);
  }

  clearLog(): void {
    this.log.set([]);
  }

  endProgress(callId: string): void {
    this.progress.update((all) => new Map([...all].filter(([id]) => id !== callId)));
  }

  async #fill<Item>(store: Store<Listing<Item>>, read: () => Promise<readonly Item[]>): Promise<void> {
    const { items } = store.value;
    store.set({ kind: 'loading', items });
    try {
      store.set({ kind: 'loaded', items: await read() });
    } catch (error) {
      store.set({ kind: 'failed', items, problem: (error as Error).message });
    }
  }

  #serverChanged(state: ConnectionState): void {
    const before = this.server.value;
    this.server.set(state);
    if (state.kind === 'connecting') this.announce(`Connecting to ${state.target}`);
    if (state.kind === 'disconnected') {
      if (before.kind !== 'disconnected') this.announce('Disconnected', state.problem ? 'alert' : 'status');
      return;
    }
    for (const store of [this.tools, this.resources, this.templates, this.prompts]) store.set(ABSENT);
    if (state.kind === 'connecting') this.subscriptions.set(new Set());
    if (state.kind !== 'connected') return;
    const { serverInfo, target, capabilities } = state.server;
    this.announce(`Connected to ${serverInfo?.name ?? target}`);
    for (const list of ['tools', 'resources', 'prompts'] as const) {
      if (capabilities[list] !== undefined) void this.load(list);
    }
  }

  #addTraffic(batch: TrafficBatch): void {
    this.#trafficMessages.add(batch);
    this.traffic.set(this.#trafficMessages.view);
  }

  #addLog(message: LogMessage): void {
    const line = { key: this.#nextKey(), time: Date.now(), message };
    this.log.update((all) => [...all, line].slice(-MAX_LOG_LINES));
  }

  #nextKey(): number {
    this.#keys += 1;
    return this.#keys;
  }
}
