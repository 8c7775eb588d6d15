import { Prepared } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts';
import type { Registration } from '../../protocol/handlers.ts';
import type { Revision } from '../../protocol/revision.ts';

/**
 * Named entries in the order they were added, listed in pages. The JSON of a page is made once per revision and cached
 * for all sessions until the listing changes.
 */
export class Listing<Entry, Wire extends object> {
  readonly #entries = new Map<string, Entry>();
  #used = false;
  readonly #pages = new Map<string, Prepared>();
  readonly #options: ListingOptions<Entry, Wire>;

  constructor(options: ListingOptions<Entry, Wire>) {
    this.#options = options;
  }

  /** Whether there ever was an entry: a capability that was declared stays declared when its list becomes empty. */
  get used(): boolean {
    return this.#used;
  }

  /** Adds an entry; the returned registration removes it. */
  add(key: string, entry: Entry): Registration {
    if (this.#entries.has(key)) throw new Error(`There is already a ${this.#options.noun} called ${key}`);
    this.#entries.set(key, entry);
    this.#used = true;
    this.#changed();
    return {
      remove: () => {
        if (this.#entries.get(key) !== entry) return;
        this.#entries.delete(key);
        this.#changed();
      },
    };
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  values(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** The page that a list request asks for. Throws RpcError for an unknown cursor. */
  page(params: Params | undefined, revision: Revision): Prepared {
    const { cursor } = (params ?? {}) as { cursor?: unknown };
    const start = cursor === undefined || cursor === null ? 0 : this.#after(cursor);
    const { pageSize } = this.#options.paging;
    // Only whole pages are cached, so that cursors made up by a client can't fill the memory.
    if (start % pageSize !== 0) return this.#makePage(start, revision);
    const cacheKey = `${revision.version} ${start}`;
    let page = this.#pages.get(cacheKey);
    if (page === undefined) {
      page = this.#makePage(start, revision);
      this.#pages.set(cacheKey, page);
    }
    return page;
  }

  #after(cursor: unknown): number {
    const keys = [...this.#entries.keys()];
    const index = typeof cursor === 'string' ? keys.indexOf(keyOf(cursor, keys) ?? '') : -1;
    if (index === -1) {
      const message = 'Invalid params: this cursor is unknown or has expired; list again from the start';
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
    return index + 1;
  }

  #makePage(start: number, revision: Revision): Prepared {
    const { member, wire, paging } = this.#options;
    const { pageSize } = paging;
    const all = [...this.#entries];
    const slice = all.slice(start, start + pageSize);
    const result: { [member: string]: unknown } = { [member]: slice.map(([, entry]) => wire(entry, revision)) };
    const last = slice.at(-1);
    if (last !== undefined && start + pageSize < all.length) {
      result.nextCursor = toBase64Url(last[0]);
    }
    return new Prepared(paging.complete(result, revision));
  }

  #changed(): void {
    this.#pages.clear();
    this.#options.changed();
  }
}

/** The key that a cursor stands for; undefined if it is not a cursor. */
function keyOf(cursor: string, keys: readonly string[]): string | undefined {
  // A client can send megabytes here. A character has up to three bytes, which are four in Base64.
  const longest = keys.reduce((length, key) => Math.max(length, key.length), 0);
  if (cursor.length > 4 * longest) return undefined;
  const bytes = fromBase64Url(cursor);
  return bytes && new TextDecoder().decode(bytes);
}

export interface ListingOptions<Entry, Wire> {
  /** The word for one entry in messages. */
  readonly noun: string;
  /** The member of the result that holds the list. */
  readonly member: string;
  readonly paging: Paging;
  readonly wire: (entry: Entry, revision: Revision) => Wire;
  readonly changed: () => void;
}

export interface Paging {
  readonly pageSize: number;
  /** Adds what a revision requires in every answer. */
  readonly complete: (result: object, revision: Revision) => object;
}
