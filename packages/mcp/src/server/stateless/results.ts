import { Prepared } from '../../jsonrpc/codec.ts';
import { MetaKey } from '../../protocol/stateless.ts';
import type { Implementation } from '../../protocol/types.ts';

export interface Caching {
  readonly ttlMs: number;
  /** `public` when every client gets the same. */
  readonly cacheScope: 'public' | 'private';
}

const NO_CACHING: Caching = { ttlMs: 0, cacheScope: 'private' };

/** Adds the members that stateless revisions require in results: their type, the server's name, and how long to cache them. */
export class StatelessResults {
  /** The server's name; one object for all results without `_meta`. */
  readonly #meta: object;
  readonly #caching: Caching;

  constructor(info: Implementation, caching: Caching = NO_CACHING) {
    this.#meta = { [MetaKey.serverInfo]: info };
    this.#caching = caching;
  }

  complete(result: unknown, method: string): unknown {
    // Pages of lists have these members already.
    if (result instanceof Prepared) return result;
    // Custom requests may have results that are not objects.
    if (result !== undefined && (typeof result !== 'object' || result === null || Array.isArray(result))) return result;
    const identified = this.#identify(result ?? {});
    const isCacheable = method === 'resources/read' || method === 'server/discover';
    return isCacheable && identified.resultType === 'complete' ? { ...this.#caching, ...identified } : identified;
  }

  /** A page of a list. */
  page(result: object): object {
    return { ...this.#caching, ...this.#identify(result) };
  }

  #identify(result: object): { readonly resultType: string; readonly _meta: object } {
    const { _meta } = result as { _meta?: object };
    return { resultType: 'complete', ...result, _meta: _meta ? { ..._meta, ...this.#meta } : this.#meta };
  }
}
