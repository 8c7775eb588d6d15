import { Prepared } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts';
import type { Registration } from '../../protocol/handlers.ts';
import type { Principal } from '../../protocol/origin.ts';
import type { Revision } from '../../protocol/revision.ts';

/** Whether a principal may see and use something. Undefined stands for a client without one. */
export type Visible = (principal: Principal | undefined) => boolean;

/** What the definition of everything that is listed may have. */
export interface Listable {
  /** Who sees it in lists and may use it; for everyone else it does not exist. Called for each request. Default: everyone. */
  readonly visible?: Visible;
}

/** Something that is listed. Every change of it notifies the clients. */
export interface ListedRegistration<Definition, Handler> extends Registration {
  /** False after `disable()`: it is not listed and can't be used until `enable()`. */
  readonly enabled: boolean;
  enable(): void;
  disable(): void;
  /** Replaces these members of the definition, and the handler if it is given. The name, or URI, stays. Throws as when it is added. */
  update(changes: Partial<Definition>, handler?: Handler): void;
}

interface Listed<Entry> {
  entry: Entry;
  visible: Visible | undefined;
  enabled: boolean;
}

/** Something of which a server has a list. */
export interface ListedKind<Definition, Handler, Entry> {
  /** The noun for one entry in messages. */
  readonly noun: string;
  /** The member of the result that holds the list. */
  readonly member: string;
  /** Makes an entry of a definition. Throws a TypeError for a mistake. */
  make(definition: Definition, handler: Handler): { readonly key: string; readonly entry: Entry };
  wire(entry: Entry, revision: Revision): object;
}

/**
 * Named entries in the order they were added, listed in pages. The JSON of a page is made once per revision and cached
 * for all sessions until the listing changes; not if it depends on who asks.
 */
export class Listing<Definition extends Listable, Handler, Entry> {
  readonly #entries = new Map<string, Listed<Entry>>();
  #used = false;
  #hasHidden = false;
  readonly #pages = new Map<string, Prepared>();
  readonly #kind: ListedKind<Definition, Handler, Entry>;
  readonly #paging: Paging;
  readonly #onChange: () => void;

  constructor(kind: ListedKind<Definition, Handler, Entry>, paging: Paging, changed: () => void) {
    this.#kind = kind;
    this.#paging = paging;
    this.#onChange = changed;
  }

  /** Whether there ever was an entry: a capability that was declared stays declared when its list becomes empty. */
  get used(): boolean {
    return this.#used;
  }

  /** Throws a TypeError for a mistake in the definition, here and in each update. */
  add(definition: Definition, handler: Handler): ListedRegistration<Definition, Handler> {
    const { noun } = this.#kind;
    const { key, entry } = this.#kind.make(definition, handler);
    if (this.#entries.has(key)) throw new Error(`There is already a ${noun} called ${key}`);
    let current = { definition, handler };
    const listed: Listed<Entry> = { entry, visible: visibleOf(definition, noun, key), enabled: true };
    this.#entries.set(key, listed);
    this.#used = true;
    this.#changed();
    const isListed = () => this.#entries.get(key) === listed;
    const set = (enabled: boolean) => {
      if (!isListed() || listed.enabled === enabled) return;
      listed.enabled = enabled;
      this.#changed();
    };
    return {
      get enabled() {
        return isListed() && listed.enabled;
      },
      enable: () => set(true),
      disable: () => set(false),
      update: (changes, newHandler = current.handler) => {
        if (!isListed()) throw new Error(`The ${noun} ${key} was removed: add it again`);
        const next = { definition: { ...current.definition, ...changes }, handler: newHandler };
        const made = this.#kind.make(next.definition, next.handler);
        if (made.key !== key) throw new TypeError(`A ${noun} keeps its name, ${key}: remove it and add another`);
        listed.visible = visibleOf(next.definition, noun, key);
        listed.entry = made.entry;
        current = next;
        this.#changed();
      },
      remove: () => {
        if (!isListed()) return;
        this.#entries.delete(key);
        this.#changed();
      },
    };
  }

  /** The entry, if the principal may see it. */
  get(key: string, principal: Principal | undefined): Entry | undefined {
    const listed = this.#entries.get(key);
    return listed !== undefined && isVisible(listed, principal) ? listed.entry : undefined;
  }

  /** Those that the principal may see. */
  *visibleTo(principal: Principal | undefined): IterableIterator<Entry> {
    for (const listed of this.#entries.values()) if (isVisible(listed, principal)) yield listed.entry;
  }

  *values(): IterableIterator<Entry> {
    for (const { entry, enabled } of this.#entries.values()) if (enabled) yield entry;
  }

  /** The entry of a task that was started, whatever has become of it since. */
  known(key: string): Entry | undefined {
    return this.#entries.get(key)?.entry;
  }

  /** The page that a list request asks for. Throws RpcError for an unknown cursor. */
  page(params: Params | undefined, { revision, principal }: Lister): Prepared {
    const { cursor } = (params ?? {}) as { cursor?: unknown };
    const isFirst = cursor === undefined || cursor === null;
    const cached = isFirst && !this.#hasHidden ? this.#pages.get(`${revision.version} 0`) : undefined;
    if (cached !== undefined) return cached;
    const all = [...this.#entries].filter(([, listed]) => isVisible(listed, principal));
    const keys = all.map(([key]) => key);
    const start = isFirst ? 0 : after(cursor, keys);
    const page = this.#makePage(all, start, revision);
    // Only whole pages are cached, so that cursors made up by a client can't fill the memory.
    if (isFirst && !this.#hasHidden) this.#pages.set(`${revision.version} 0`, page);
    return page;
  }

  #makePage(all: readonly [string, Listed<Entry>][], start: number, revision: Revision): Prepared {
    const { pageSize } = this.#paging;
    const slice = all.slice(start, start + pageSize);
    const listed = slice.map(([, { entry }]) => this.#kind.wire(entry, revision));
    const result: { [member: string]: unknown } = { [this.#kind.member]: listed };
    const last = slice.at(-1);
    if (last !== undefined && start + pageSize < all.length) {
      result.nextCursor = toBase64Url(last[0]);
    }
    const page = this.#paging.complete(result, revision);
    // What depends on who asks must not be shared.
    return new Prepared(this.#hasHidden && 'cacheScope' in page ? { ...page, cacheScope: 'private' } : page);
  }

  #changed(): void {
    this.#pages.clear();
    this.#hasHidden = [...this.#entries.values()].some(({ visible }) => visible !== undefined);
    this.#onChange();
  }
}

/** Who asks for a list. */
export interface Lister {
  readonly revision: Revision;
  readonly principal: Principal | undefined;
}

function isVisible({ enabled, visible }: Listed<unknown>, principal: Principal | undefined): boolean {
  return enabled && (visible === undefined || visible(principal) === true);
}

function visibleOf({ visible }: Listable, noun: string, key: string): Visible | undefined {
  if (visible !== undefined && typeof visible !== 'function') {
    throw new TypeError(`The ${noun} ${key}: visible must be a function (principal) => boolean`);
  }
  return visible;
}

/** The number of the entry after the one that a cursor stands for. */
function after(cursor: unknown, keys: readonly string[]): number {
  const index = typeof cursor === 'string' ? keys.indexOf(keyOf(cursor, keys) ?? '') : -1;
  if (index === -1) {
    const message = 'Invalid params: this cursor is unknown or has expired; list again from the start';
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  return index + 1;
}

/** The key that a cursor stands for; undefined if it is not a cursor. */
function keyOf(cursor: string, keys: readonly string[]): string | undefined {
  // A client can send megabytes here. A character has up to three bytes, which are four in Base64.
  const longest = keys.reduce((length, key) => Math.max(length, key.length), 0);
  if (cursor.length > 4 * longest) return undefined;
  const bytes = fromBase64Url(cursor);
  return bytes && new TextDecoder().decode(bytes);
}

export interface Paging {
  readonly pageSize: number;
  /** Adds what a revision requires in every response. */
  readonly complete: (result: object, revision: Revision) => object;
}
