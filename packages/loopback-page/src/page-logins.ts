import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type PageAdmission, proofIn } from './page-admission.ts';
import { answerText } from './page-host.ts';
import { isSameSecret, newSecret } from './secrets.ts';

/** A browser that has logged in with a link. */
export interface PageLogin {
  /** No secret. */
  readonly id: string;
  readonly address: string;
  /** What the browser calls itself. */
  readonly browser: string;
  readonly since: number;
  readonly expires: number;
  readonly lastUsed: number;
}

export interface PageLoginsOptions {
  /** Of the page's subprotocol. */
  readonly name: string;
  /** Whether the cookie may go over encrypted connections only. */
  readonly encryption: 'required' | 'none';
  readonly now?: () => number;
}

interface Login extends PageLogin {
  readonly cookie: string;
  readonly page: string;
  lastUsed: number;
}

interface Link {
  readonly secret: string;
  readonly expires: number;
  /** How long its login lasts. */
  readonly lasts: number;
}

export const LOGIN_PATH = '/login';
/** A link that is not used within this time stops working. */
export const LINK_LASTS_MS = 10 * 60_000;
const MAX_LOGINS = 32;
const MAX_LINKS = 8;
const MAX_SECRET_BYTES = 256;

/**
 * Browsers log in with a link, which works once and expires. From then on a browser needs two secrets: a cookie that no script
 * can read, and one that only pages of this host and port can read, because a cookie also goes to the other ports.
 */
export class PageLogins implements PageAdmission {
  readonly #options: PageLoginsOptions;
  readonly #now: () => number;
  #links: readonly Link[] = [];
  #logins: readonly Login[] = [];
  readonly #ended = new Set<(id: string) => void>();

  constructor(options: PageLoginsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The secret of a new link, whose login lasts so many milliseconds. */
  newLink(lasts: number): string {
    const secret = newSecret();
    this.#links = [...this.#links.slice(1 - MAX_LINKS), { secret, expires: this.#now() + LINK_LASTS_MS, lasts }];
    return secret;
  }

  admit(headers: IncomingHttpHeaders): string | undefined {
    this.#expire();
    const [cookie, page] = [this.#cookieIn(headers), proofIn(headers, this.#options.name).replace(/^page\./, '')];
    const login = this.#logins.find((each) => isSameSecret(each.cookie, cookie) && isSameSecret(each.page, page));
    if (login !== undefined) login.lastUsed = this.#now();
    return login?.id;
  }

  /** Browsers that may connect, the oldest first. */
  list(): readonly PageLogin[] {
    this.#expire();
    return this.#logins.map(({ cookie: _, page: __, ...login }) => login);
  }

  /** False if there is no such login. */
  revoke(id: string): boolean {
    const isKnown = this.#logins.some((login) => login.id === id);
    this.#logins = this.#logins.filter((login) => login.id !== id);
    if (isKnown) for (const listener of this.#ended) listener(id);
    return isKnown;
  }

  /** Calls back when a login was revoked or has expired. */
  onEnd(listener: (id: string) => void): void {
    this.#ended.add(listener);
  }

  /** When the login ends by itself; 0 if it has. */
  expiryOf(id: string): number {
    return this.#logins.find((login) => login.id === id)?.expires ?? 0;
  }

  answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    return path === LOGIN_PATH ? this.#logIn(request, response) : undefined;
  }

  async #logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page of another site can't send this header, and the host has compared the Origin.
    if (request.method !== 'POST' || request.headers.origin === undefined) return answerText(response, 405, 'Use POST');
    const secret = await bodyOf(request);
    if (secret === undefined) return answerText(response, 413, 'Too long');
    const link = this.#links.find((each) => isSameSecret(each.secret, secret) && each.expires > this.#now());
    if (link === undefined) return answerText(response, 401, 'The link was used, or has expired');
    this.#links = this.#links.filter((each) => each !== link);
    const login: Login = {
      id: randomUUID(),
      cookie: newSecret(),
      page: newSecret(),
      address: request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
      browser: (request.headers['user-agent'] ?? '').slice(0, 200),
      since: this.#now(),
      expires: this.#now() + link.lasts,
      lastUsed: this.#now(),
    };
    const [oldest] = this.#logins;
    if (oldest !== undefined && this.#logins.length >= MAX_LOGINS) this.revoke(oldest.id);
    this.#logins = [...this.#logins, login];
    const secure = this.#options.encryption === 'required' ? '; Secure' : '';
    response.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Set-Cookie': `${this.#cookieName(request.headers)}=${login.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${Math.floor(link.lasts / 1000)}${secure}`,
    });
    response.end(login.page);
  }

  /** Cookies are the same for all ports of a host, so the port is part of the name. */
  #cookieName({ host = '' }: IncomingHttpHeaders): string {
    return `${this.#options.name}-${/:(\d+)$/.exec(host)?.[1] ?? 'web'}`;
  }

  #cookieIn(headers: IncomingHttpHeaders): string {
    const name = `${this.#cookieName(headers)}=`;
    const cookies = headers.cookie?.split(';').map((each) => each.trim()) ?? [];
    return cookies.find((each) => each.startsWith(name))?.slice(name.length) ?? '';
  }

  #expire(): void {
    this.#links = this.#links.filter(({ expires }) => expires > this.#now());
    for (const { id, expires } of this.#logins) if (expires <= this.#now()) this.revoke(id);
  }
}

/** Undefined if it is longer than any secret. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_SECRET_BYTES) return undefined;
  }
  return text.trim();
}
