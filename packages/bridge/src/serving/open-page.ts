import { openBrowser } from '@hawser/client/open-browser';
import type { Environment } from '../command-line/environment.ts';
import type { ControlClient } from '../control/control-client.ts';
import { LOGIN_HOURS } from '../control/pages.ts';

/** Makes a link to the review in the browser of this machine, and starts a browser with it if that is wished. */
export async function openPage(
  bridge: ControlClient,
  { open = false }: { readonly open?: boolean | undefined },
  { variables }: Environment,
): Promise<{ readonly link: string; readonly isOpen: boolean }> {
  const { link } = await bridge.openPage({ hours: LOGIN_HOURS });
  return { link, isOpen: open && (await openBrowser(link, { platform: process.platform, variables })) };
}
