import { requireChoice } from '../jsonrpc/argument-checks.ts';
import { inTime } from '../jsonrpc/waiting.ts';
import { type ChangeMark, isNewer } from '../protocol/change-mark.ts';
import { StoreUnavailable } from '../protocol/store-unavailable.ts';
import type { Change, EventBus, ListName } from './event-bus.ts';
import { isAtLeast } from './features/logging.ts';
import type { ServerHost } from './server-host.ts';
import type { ServerSession } from './session.ts';

const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];
/** Changes that a session reads at a time when it catches up. */
const READ_AT_ONCE = 100;
/** Milliseconds for the bus to read them. */
const READ_TIMEOUT_MS = 30_000;
const late = () => new StoreUnavailable(`The event bus did not settle within ${READ_TIMEOUT_MS} ms`);

/** Notifies clients of changes: with an event bus the clients of every process, otherwise those of this process. */
export class Changes {
  readonly #host: ServerHost;
  readonly #bus: EventBus | undefined;
  readonly #stopListening: (() => void) | undefined;
  readonly #changedLists = new Set<ListName>();
  /** Sessions that are not yet notified of all changes up to the position of the bus. */
  readonly #behind = new Set<ServerSession>();
  /** Whether a client was served. Lists that change before are not announced: each process registers what it offers. */
  hasClients = false;

  constructor(host: ServerHost, bus: EventBus | undefined) {
    this.#host = host;
    this.#bus = bus;
    this.#stopListening = bus?.listen({
      changed: ({ change, position }) => this.#deliver(change, position),
      missed: (position) => this.#deliverAll(position),
    });
  }

  get position(): string | undefined {
    return this.#bus?.position;
  }

  publish(change: Change): void {
    if (this.#bus === undefined) {
      this.#deliver(change, undefined);
      return;
    }
    const failed = (thrown: unknown) => this.#host.errors.report(thrown, `announcing a change (${change.kind})`);
    try {
      this.#bus.publish(change)?.then(undefined, failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  /** One notification is sent for all changes of one turn. */
  listChanged(list: ListName): void {
    requireChoice('server.listChanged', 'the list', list, LISTS);
    if (this.#changedLists.size === 0) queueMicrotask(() => this.#announceLists());
    this.#changedLists.add(list);
  }

  /** Notifies a session of the changes after the position at which another process has left it. */
  restored(session: ServerSession, position: string | undefined): void {
    const bus = this.#bus;
    if (bus === undefined || position === undefined || !isNewer(bus.position, position)) return;
    this.#behind.add(session);
    this.#catchUp(session, position, bus).catch((thrown) => {
      this.#behind.delete(session);
      this.#host.errors.report(thrown, 'reading changes for a session', session);
      this.#notifyOfAll(session, bus.position);
    });
  }

  close(): void {
    this.#stopListening?.();
  }

  #announceLists(): void {
    const capabilities = this.#host.methods.capabilities();
    for (const list of this.#changedLists) {
      if (capabilities[list]?.listChanged && this.hasClients) this.publish({ kind: 'list', list });
    }
    this.#changedLists.clear();
  }

  #deliver(change: Change, position: string | undefined): void {
    const { sessions, subscriptions } = this.#host;
    const mark = position === undefined ? undefined : { key: keyOf(change), position };
    for (const session of sessions) {
      if (!this.#behind.has(session)) this.#notify(session, change, mark);
    }
    if (change.kind === 'list') subscriptions.listChanged(change.list);
    else if (change.kind === 'resource') subscriptions.resourceUpdated(change.uri);
  }

  /** Reports every list and resource as changed, because it is not known which did. */
  #deliverAll(position: string): void {
    const { sessions, subscriptions } = this.#host;
    for (const session of sessions) {
      if (!this.#behind.has(session)) this.#notifyOfAll(session, position);
    }
    for (const list of LISTS) subscriptions.listChanged(list);
    subscriptions.resourcesUpdated();
  }

  /** In the order of the bus. While it reads, further changes wait on the bus. */
  async #catchUp(session: ServerSession, from: string, bus: EventBus): Promise<void> {
    for (let position = from; session.state !== 'closed' && isNewer(bus.position, position); ) {
      const published = await inTime(bus.read(position, READ_AT_ONCE), READ_TIMEOUT_MS, late);
      if (published === undefined || published.length === 0) {
        this.#notifyOfAll(session, bus.position);
        break;
      }
      for (const each of published) {
        this.#notify(session, each.change, { key: keyOf(each.change), position: each.position });
        position = each.position;
      }
    }
    // In the same turn: what the bus delivers from now on is no longer read.
    this.#behind.delete(session);
  }

  #notify(session: ServerSession, change: Change, mark: ChangeMark | undefined): void {
    if (session.state !== 'ready') return;
    if (change.kind === 'notification') {
      session.announce(change.method, change.params, mark);
    } else if (change.kind === 'log') {
      const { kind: _log, ...message } = change;
      if (isAtLeast(message.level, session.logLevel)) session.announce('notifications/message', message, mark);
    } else if (change.kind === 'resource') {
      const { uri } = change;
      if (session.isSubscribed(uri)) session.announce('notifications/resources/updated', { uri }, mark);
    } else if (session.protocolVersion !== undefined) {
      // Stateless clients are notified through their subscriptions.
      session.announce(`notifications/${change.list}/list_changed`, undefined, mark);
    }
  }

  #notifyOfAll(session: ServerSession, position: string): void {
    const capabilities = this.#host.methods.capabilities();
    const lists = LISTS.filter((list) => capabilities[list]?.listChanged);
    const changes: Change[] = [
      ...lists.map((list) => ({ kind: 'list' as const, list })),
      ...[...session.subscriptions].map((uri) => ({ kind: 'resource' as const, uri })),
    ];
    for (const change of changes) this.#notify(session, change, { key: keyOf(change), position });
  }
}

/** The key of what changed: a newer notification with the same key replaces an older one. */
function keyOf(change: Change): string {
  if (change.kind === 'list') return `list ${change.list}`;
  return change.kind === 'resource' ? `resource ${change.uri}` : 'message';
}
