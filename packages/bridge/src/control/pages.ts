/** How long a browser stays logged in, unless the user says so. */
export const LOGIN_HOURS = 12;

/** The review in the browser, as the commands of a bridge open and close it. */
export interface ReviewPages {
  /** Serves the page, unless it is served already, and makes a link that works once. Rejects with an Error for the user. */
  open(options: OpenPageOptions): Promise<OpenedPage>;
  /** What is served now. */
  served(): readonly ServedPage[];
  /** Browsers that have logged in, the oldest first. */
  logins(): readonly PageLogin[];
  /** Logs a browser out at once. False if there is no such login. */
  revoke(id: string): boolean;
  /** Logs all browsers out and serves the page no longer. */
  close(): Promise<void>;
}

export interface OpenPageOptions {
  /** Default: that of the page as it is served, or any free one. */
  readonly port?: number | undefined;
  /** The address to listen on for other machines. Without it, only this machine can open the page. */
  readonly host?: string | undefined;
  /** Files with a certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** How long the login of the link lasts. */
  readonly hours: number;
}

export interface ServedPage {
  /** Without a secret. */
  readonly url: string;
  readonly port: number;
  /** Other machines can reach it. */
  readonly isOpenToNetwork: boolean;
  readonly isEncrypted: boolean;
  /** How many pages are connected. */
  readonly pages: number;
}

export interface OpenedPage extends ServedPage {
  /** With a secret that logs in one browser. */
  readonly link: string;
  /** Until when it can be used, as in `2026-01-31T12:00:00.000Z`. */
  readonly linkExpires: string;
}

/** A browser that has logged in. */
export interface PageLogin {
  readonly id: string;
  readonly address: string;
  /** What the browser calls itself. */
  readonly browser: string;
  readonly since: string;
  readonly expires: string;
  readonly lastUsed: string;
}
