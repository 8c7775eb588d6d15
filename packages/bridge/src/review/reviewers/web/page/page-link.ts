import { socketConnection } from '@hawser/page-parts/socket-connection';
import { controlClient } from '../../../../control/connected-client.ts';
import type { ControlClient } from '../../../../control/control-client.ts';
import { CHANNEL_PATH, SUBPROTOCOL } from '../page-address.ts';
import { logIn, pageProof } from './login.ts';

export type LinkState =
  | 'connecting'
  | 'connected'
  /** It tries again by itself. */
  | 'lost'
  /** Logged out, or never logged in. */
  | 'refused';

export interface PageLinkOptions {
  /** Called with each new connection. Rejects if it ends meanwhile. */
  readonly connected: (client: ControlClient) => Promise<void>;
  /** The connection has ended; called before anything that waits for it learns that. */
  readonly lost: () => void;
  readonly changed: (state: LinkState) => void;
}

/** WebSocket close code for a violated policy. */
const REFUSED = 1008;
const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** The connection of the page to the bridge, made anew whenever it was lost. */
export class PageLink {
  readonly #options: PageLinkOptions;
  #wait = SHORTEST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: LinkState = 'connecting';

  constructor(options: PageLinkOptions) {
    this.#options = options;
    // A phone that wakes up, and a network that is back, need not wait.
    addEventListener('online', () => this.#retry());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.#retry());
  }

  /** Logs in with the link in the address bar, if there is one, and connects. */
  async start(): Promise<void> {
    try {
      if ((await logIn()) === 'wrong link') return this.#become('refused');
    } catch {
      // The bridge can't be reached; so will the connection learn.
    }
    this.#connect();
  }

  #retry(): void {
    if (this.#state === 'lost') this.#connect();
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#become('connecting');
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}${CHANNEL_PATH}`, [SUBPROTOCOL, pageProof()]);
    const connection = socketConnection(socket, (code) => {
      this.#options.lost();
      if (code === REFUSED) return this.#become('refused');
      this.#become('lost');
      this.#timer = setTimeout(() => this.#connect(), this.#wait);
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
    });
    const client = controlClient(connection);
    this.#options.connected(client).then(
      () => {
        this.#wait = SHORTEST_WAIT_MS;
        this.#become('connected');
      },
      // The end of the connection says it.
      () => {},
    );
  }

  #become(state: LinkState): void {
    this.#state = state;
    this.#options.changed(state);
  }
}
