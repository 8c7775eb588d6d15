import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { toCount } from '@hawser/command-line/to-count';
import type { LogLevel, Notification } from '@hawser/mcp';
import type { ClientSession } from '@hawser/mcp/client';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { withSession } from './with-session.ts';

export interface WatchFlags extends ClientFlags {
  readonly resource: readonly string[];
  readonly level: LogLevel;
  readonly count?: number;
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const watchCommand = withTargetOptions({
  name: 'watch',
  description: 'print the notifications of an MCP server as they arrive',
  options: [
    {
      name: 'resource',
      value: 'uri',
      description: 'a resource to subscribe to; can be repeated (default: all, up to 100)',
      isList: true,
    },
    { name: 'level', value: 'level', description: 'the least severe log message', choices: LEVELS, default: 'debug' },
    { name: 'count', value: 'n', description: 'end after this many notifications', parse: toCount },
    { name: 'json', description: 'as JSON, an object a line' },
  ],
});

const MAX_SUBSCRIPTIONS = 100;
/** How a server without sessions says that we are subscribed: nothing has happened. */
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** A server without sessions sends these to those who asked for them. */
const LIST_CHANGES = [
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/updated',
] as const;

/** Prints notifications until the user or the server ends it. */
export async function watch(flags: WatchFlags, environment: ClientEnvironment): Promise<void> {
  let left = flags.count ?? Number.POSITIVE_INFINITY;
  let done = () => {};
  const enough = new Promise<void>((resolve) => {
    done = resolve;
  });
  const received = ({ method, params }: Notification) => {
    if (left <= 0 || method === ACKNOWLEDGED) return;
    left -= 1;
    print(method, params, flags, environment);
    if (left <= 0) done();
  };
  const observer = {
    received: (message: object) => {
      if ('method' in message && !('id' in message)) received(message as Notification);
    },
    sent: () => {},
  };
  await withSession(
    flags,
    environment,
    async ({ session, signal }) => {
      for (const method of LIST_CHANGES) session.onNotification(method, () => {});
      await subscribe(session, flags, environment, signal);
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      const ended = await Promise.race([enough, aborted, session.closed]);
      signal.throwIfAborted();
      if (ended instanceof Error) throw new CommandFailed(ExitCode.noServer, `The server has ended: ${ended.message}`);
    },
    { observer },
  );
}

/** Asks for everything that the server sends only on request. */
async function subscribe(
  session: ClientSession,
  { resource, level }: WatchFlags,
  { stderr }: ClientEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { logging, resources } = session.serverCapabilities;
  if (logging !== undefined) await session.setLogLevel(level, { signal });
  if (resources?.subscribe !== true) {
    if (resource.length > 0) throw new CommandFailed(ExitCode.failed, 'The server has no subscriptions to resources.');
    return;
  }
  const listed = resource.length > 0 ? resource : (await session.listResources({ signal })).map(({ uri }) => uri);
  const chosen = listed.slice(0, MAX_SUBSCRIPTIONS);
  if (chosen.length < listed.length) {
    stderr(`hawser: Watching the first ${chosen.length} of ${listed.length} resources; choose others with --resource.`);
  }
  for (const uri of chosen) await session.subscribe(uri, { signal });
}

function print(method: string, params: unknown, { json }: WatchFlags, { stdout }: ClientEnvironment): void {
  const now = new Date();
  const time = now.toISOString();
  // Of the user's clock.
  const local = `${now.toTimeString().slice(0, 8)}${time.slice(19, 23)}`;
  if (json) stdout(jsonText({ time, method, ...(params !== undefined && { params }) }, { indent: 0 }));
  else stdout(escaped(`${local}  ${method}${params === undefined ? '' : `  ${JSON.stringify(params)}`}`));
}
