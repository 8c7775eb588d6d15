import { LineInput } from '@hawser/terminal-text/line-input';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { isResponseTo, type RedirectListener } from '../login/redirect-listener.ts';
import { openBrowser } from '../open-browser.ts';

export interface BrowserLogin {
  readonly listener: RedirectListener;
  readonly open: 'yes' | 'no';
  readonly environment: ClientEnvironment;
  readonly signal: AbortSignal;
}

/** Shows the page to the user. Resolves to the URL that the browser was redirected to, or that the user pasted. */
export async function browserLogin(page: string, login: BrowserLogin): Promise<URL> {
  const { listener, open, environment } = login;
  const { stderr, variables } = environment;
  const state = new URL(page).searchParams.get('state') ?? '';
  const done = new AbortController();
  const signal = AbortSignal.any([login.signal, done.signal]);
  const arrived = listener.response(state, signal);
  // It is awaited below, and may fail before.
  arrived.catch(() => {});
  const isOpened = open === 'yes' && (await openBrowser(page, { platform: process.platform, variables }));
  stderr(
    isOpened
      ? 'hawser: Log in with your browser. If it shows no page, open this address:'
      : 'hawser: Log in with a browser at this address:',
  );
  stderr(escaped(page));
  const lines = linesOf(isOpened, environment);
  try {
    return await Promise.race([arrived, pasted(lines, state, environment, signal)]);
  } finally {
    done.abort(new Error('The login is over'));
    lines?.close();
  }
}

/** A pipe is read only if it is the way to finish the login: it may be the input of something else. */
function linesOf(isBrowserOpened: boolean, { terminal, stderr }: ClientEnvironment): LineInput | undefined {
  const { stdin } = process;
  if (isBrowserOpened && !stdin.isTTY) return undefined;
  stderr('hawser: If the browser is on another machine, paste the address that it shows at the end, and press Enter.');
  return new LineInput({ input: stdin, output: terminal?.output });
}

/** Never settles when there is nothing to read: then the listener decides. */
async function pasted(
  lines: LineInput | undefined,
  state: string,
  { stderr }: ClientEnvironment,
  signal: AbortSignal,
): Promise<URL> {
  for (;;) {
    const line = await lines?.ask('Address: ', signal);
    if (line === undefined) return await new Promise(() => {});
    const text = line.trim();
    if (text === '') continue;
    if (URL.canParse(text) && isResponseTo(state, new URL(text))) return new URL(text);
    // The text is not repeated: it may have a code in it.
    stderr('hawser: That is not the address at the end of this login. Copy all of it from the address bar.');
  }
}
