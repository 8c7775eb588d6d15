import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { openBrowser } from '@hawser/client/open-browser';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { BridgeChoice } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';
import { LOGIN_HOURS, type OpenedPage } from '../control/pages.ts';

export interface ReviewWebFlags extends BridgeChoice {
  readonly web?: boolean;
  readonly webOff?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly cert?: string;
  readonly key?: string;
  readonly hours?: number;
  readonly noOpen?: boolean;
}

/** `hawser review --web`: has the bridge serve the page, and prints a link to it. */
export function reviewWeb(flags: ReviewWebFlags, environment: Environment): Promise<void> {
  const { host, port, cert, key, hours = LOGIN_HOURS, noOpen } = flags;
  const { stdout, cwd } = environment;
  if (host === undefined && (cert ?? key) !== undefined) {
    throw new CommandFailed(ExitCode.usage, '--cert and --key go with --host');
  }
  return withBridge(flags, environment, async (bridge) => {
    if (flags.webOff === true) {
      await bridge.closePage();
      return stdout('hawser: the page is no longer served, and all browsers are logged out');
    }
    const page = await bridge.openPage({
      hours,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      // The bridge may run in another folder.
      ...(cert !== undefined && { cert: resolve(cwd, cert) }),
      ...(key !== undefined && { key: resolve(cwd, key) }),
    });
    for (const line of await inWords(page, hours, environment)) stdout(line);
    if (noOpen === true || host !== undefined) return;
    await openBrowser(page.link, { platform: process.platform, variables: environment.variables });
  });
}

async function inWords(page: OpenedPage, hours: number, { isStdoutTerminal }: Environment): Promise<readonly string[]> {
  const { link, port, isOpenToNetwork, isEncrypted } = page;
  const about = `The link works once, within 10 minutes; the browser stays logged in for ${hours} hours.`;
  if (!isOpenToNetwork) {
    const { username } = userInfo();
    return [
      link,
      about,
      `From another machine: ssh -L ${port}:127.0.0.1:${port} ${username}@${hostname()}, then open the link there.`,
    ];
  }
  const { renderUnicodeCompact } = await import('uqr');
  return [
    // A phone reads it from the screen; in a file it is of no use.
    ...(isStdoutTerminal ? [renderUnicodeCompact(link, { border: 2 })] : []),
    link,
    about,
    ...(isEncrypted
      ? []
      : [
          'Warning: nothing is encrypted, so others in this network can read along and decide. Give --cert and --key, or use ssh -L.',
        ]),
    'hawser tokens lists who is logged in; hawser review --web-off closes the page.',
  ];
}
