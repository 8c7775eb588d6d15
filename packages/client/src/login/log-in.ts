import {
  authorizationCode,
  oauthClient,
  type PreRegisteredClient,
  type StoredCredentials,
  type TokenKey,
} from '@hawser/mcp/oauth';
import type { HttpTarget } from '../target.ts';
import { loginFiles } from './login-files.ts';
import { listenForRedirect, type RedirectListener } from './redirect-listener.ts';

export interface LoginOptions {
  readonly stateFolder: string;
  /** Of the address that the browser is redirected to; 0 is any free one. */
  readonly port: number;
  /** Shows the page of the authorization server to the user. Resolves to the URL that the browser was redirected to. */
  readonly showPage: (page: string, listener: RedirectListener, signal: AbortSignal) => Promise<URL>;
  readonly signal: AbortSignal;
  /** Milliseconds that the user has. Default five minutes. */
  readonly timeout?: number | undefined;
  readonly scope?: string | undefined;
  readonly client?: PreRegisteredClient | undefined;
  readonly allowPrivateAddresses?: boolean;
}

export interface StoredLogin {
  readonly key: TokenKey;
  readonly credentials: StoredCredentials;
}

const TIMEOUT_MS = 300_000;

/** Lets the user log in with a browser, and keeps the tokens. Resolves to what was stored last. */
export async function logIn(target: HttpTarget, options: LoginOptions): Promise<StoredLogin | undefined> {
  const { stateFolder, port, showPage, signal, timeout = TIMEOUT_MS, scope, client } = options;
  const listener = await listenForRedirect(port);
  const files = loginFiles(stateFolder, target.url);
  let stored: StoredLogin | undefined;
  let outcome: 'logged in' | 'failed' = 'failed';
  try {
    const grant = authorizationCode({
      redirectUrl: listener.redirectUrl,
      openBrowser: (page, { signal: ended }) => showPage(page, listener, ended),
      registration: { client_name: 'Hawser' },
      ...(client && { client }),
    });
    const authorization = oauthClient(target.url, {
      grant,
      store: {
        ...files,
        save: async (key, credentials) => {
          await files.save(key, credentials);
          stored = { key, credentials };
        },
      },
      loginTimeout: timeout,
      signal,
      allowPrivateAddresses: options.allowPrivateAddresses === true,
      ...(scope !== undefined && { scope }),
    });
    await authorization.login();
    outcome = 'logged in';
    return stored;
  } finally {
    await listener.close(outcome);
  }
}
