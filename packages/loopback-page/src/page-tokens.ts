import { randomBytes, timingSafeEqual } from 'node:crypto';

/** A page offers one of these as a subprotocol, the only header that it can choose: `link.…` or `page.…`. */
type Proof = `link.${string}` | `page.${string}`;

/** Enough for a user with many tabs; older pages have to be opened anew. */
const MAX_PAGES = 32;

/**
 * The secrets of the page. A link works once: it is printed, and is in the history of the browser and in the arguments of
 * the program that opens it. The page gets a token for it, which it keeps for reloads.
 */
export class PageTokens {
  #link: string | undefined;
  readonly #pages: string[] = [];

  /** The secret of a new link; the one before stops working. */
  newLink(): string {
    this.#link = secret();
    return this.#link;
  }

  /** The token of a page that proves that it may connect; undefined if it does not. Uses the link up. */
  redeem(proof: string): string | undefined {
    const [, kind, value = ''] = /^(link|page)\.([\w-]+)$/.exec(proof as Proof) ?? [];
    if (kind === 'page') return this.#pages.find((token) => isSame(token, value));
    if (kind !== 'link' || this.#link === undefined || !isSame(this.#link, value)) return undefined;
    this.#link = undefined;
    const token = secret();
    this.#pages.push(token);
    if (this.#pages.length > MAX_PAGES) this.#pages.shift();
    return token;
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
