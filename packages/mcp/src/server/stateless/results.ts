import { Prepared } from '../../jsonrpc/codec.ts';
import { MetaKey } from '../../protocol/stateless.ts';
import type { Implementation } from '../../protocol/types.ts';

export interface Caching {
  readonly ttlMs: number;
  /** `public` when every client gets the same. */
  readonly cacheScope: 'public' | 'private';
}

const NO_CACHING: Caching = { ttlMs: 0, cacheScope: 'private' };

/** Adds to results what the stateless era wants in them: of what kind they are, who made them, how long they hold. */
export class StatelessResults {
  /** Who made a result; one object for all that have no meta data of their own. */
  readonly #meta: object;
  readonly #caching: Caching;

  constructor(info: Implementation, caching: Caching = NO_CACHING) {
    this.#meta = { [MetaKey.serverInfo]: info };
    this.#caching = caching;
  }

  complete(result: unknown, method: string): unknown {
    // A page of a list was completed when it was made.
    if (result instanceof Prepared) return result;
    // Whatever else requests of one's own are answered with has no room for more.
    if (result !== undefined && (typeof result !== 'object' || result === null || Array.isArray(result))) return result;
    const identified = this.#identify(result ?? {});
    const mayBeKept = method === 'resources/read' || method === 'server/discover';
    return mayBeKept && identified.resultType === 'complete' ? { ...this.#caching, ...identified } : identified;
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
