import type { ClientEnvironment } from '@hawser/client/client-environment';
import { type ClientFlags, withTargetOptions } from '@hawser/client/commands/target-options';
import { TIMEOUT_MS, targetOf, untilSignal } from '@hawser/client/commands/with-session';
import { openBrowser } from '@hawser/client/open-browser';
import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { toPort } from '@hawser/command-line/to-port';
import { pageFiles } from '@hawser/loopback-page/page-files';
import { type PageHost, servePage } from '@hawser/loopback-page/page-host';
import { PageTokens } from '@hawser/loopback-page/page-tokens';
import { CHANNEL_PATH, SUBPROTOCOL } from '../calls.ts';
import { Inspector } from '../inspector.ts';

export interface InspectFlags extends ClientFlags {
  readonly port?: number;
  readonly noOpen?: true;
}

/** `editors`: whether the program that has this command can find editors. */
export const inspectCommand = (editors: 'found' | 'unknown'): CommandSyntax =>
  withTargetOptions(
    {
      name: 'inspect',
      description: 'look at an MCP server in the browser: tools, traffic, check',
      options: [
        {
          name: 'port',
          short: 'p',
          value: 'n',
          description: 'the port of the page (default: any free one)',
          parse: toPort,
        },
        { name: 'no-open', description: 'print the link, and open no browser' },
      ],
      notes: `The page can call tools, read resources, get prompts, answer questions of the server, send any message, show all traffic
and run hawser check. It is served to this user on this machine only. Each link works once; when the page is closed, another
link is printed. Ctrl-C ends the command and the server that it started.`,
    },
    { editors, withoutTarget: 'the page offers the servers that it finds.' },
  );

/** A page that is loaded again is back by then. */
const PAGE_GONE_MS = 3000;

/** Serves the page until a signal ends it. */
export async function inspect(flags: InspectFlags, environment: ClientEnvironment): Promise<void> {
  const { version, stdout, stderr } = environment;
  const given = await givenTarget(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const inspector = new Inspector({ version, places: environment, given, timeout: flags.timeout ?? TIMEOUT_MS });
  const tokens = new PageTokens(SUBPROTOCOL);
  let pages = 0;
  let gone: NodeJS.Timeout | undefined;
  const host = await serve(flags.port ?? 0, {
    name: SUBPROTOCOL,
    channelPath: CHANNEL_PATH,
    files: pageFiles('inspect'),
    admission: tokens,
    onError: (error) => stderr(`hawser: ${error.message}`),
    accept: (connection) => {
      pages += 1;
      clearTimeout(gone);
      inspector.attach(connection, () => {
        pages -= 1;
        if (pages === 0 && !signal.aborted) gone = setTimeout(showLink, PAGE_GONE_MS);
      });
    },
  });
  const showLink = () => {
    const link = `${host.url}#${tokens.newLink()}`;
    stdout(`The page is at ${link}`);
    return link;
  };
  const link = showLink();
  if (!flags.noOpen) {
    const place = { platform: process.platform, variables: environment.variables };
    if (!(await openBrowser(link, place))) stderr('hawser: No browser could be opened. Open the link yourself.');
  }
  stderr('hawser: The link works once. Ctrl-C ends.');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearTimeout(gone);
  await Promise.all([inspector.close(), host.close()]);
  throw new CommandFailed(exitCode(), '');
}

/** Undefined if the user chooses on the page. */
async function givenTarget(flags: InspectFlags, environment: ClientEnvironment) {
  const { stdio, url, lock, server, header, config, protocol } = flags;
  if ([stdio, url, lock, server].every((flag) => flag === undefined)) {
    const lonely = config !== undefined ? '--config' : (header?.length ?? 0) > 0 ? '--header' : undefined;
    if (lonely === undefined) return undefined;
    throw new CommandFailed(
      ExitCode.usage,
      `${lonely} needs a server: add ${lonely === '--config' ? '--server' : '--url'}.`,
    );
  }
  return { target: await targetOf(flags, environment), protocolVersion: protocol };
}

async function serve(port: number, options: Omit<Parameters<typeof servePage>[0], 'port'>): Promise<PageHost> {
  try {
    return await servePage({ port, ...options });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    throw new CommandFailed(ExitCode.portInUse, `Port ${port} is in use. Choose another with --port. (${message})`);
  }
}
