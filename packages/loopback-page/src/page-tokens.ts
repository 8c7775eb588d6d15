import type { IncomingHttpHeaders } from 'node:http';
import { type PageAdmission, proofIn } from './page-admission.ts';
import { isSameSecret, newSecret } from './secrets.ts';

/** Enough for a user with many tabs; older pages have to be opened anew. */
const MAX_PAGES = 32;

/**
 * The secrets of the page. A link works once: it is printed, and is in the history of the browser and in the arguments of
 * the program that opens it. The page gets a token for it, which it keeps for reloads.
 */
export class PageTokens implements PageAdmission {
  readonly #name: string;
  #link: string | undefined;
  readonly #pages: string[] = [];

  /** Of the page's subprotocol. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The id of a page is its token. Uses the link up. */
  admit(headers: IncomingHttpHeaders): string | undefined {
    const [, kind, value = ''] = /^(link|page)\.([\w-]+)$/.exec(proofIn(headers, this.#name)) ?? [];
    if (kind === 'page') return this.#pages.find((token) => isSameSecret(token, value));
    if (kind !== 'link' || this.#link === undefined || !isSameSecret(this.#link, value)) return undefined;
    this.#link = undefined;
    const token = newSecret();
    this.#pages.push(token);
    if (this.#pages.length > MAX_PAGES) this.#pages.shift();
    return token;
  }

  /** The secret of a new link; the one before stops working. */
  newLink(): string {
    this.#link = newSecret();
    return this.#link;
  }
}
