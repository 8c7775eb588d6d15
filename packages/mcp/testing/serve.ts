import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { SessionState } from '../src/protocol/types.ts';
import type { RequestContext } from '../src/server/context.ts';
import type { ToolOutcome } from '../src/server/features/tools.ts';
import { Server } from '../src/server/server.ts';
import type { ServerOptions } from '../src/server/server-options.ts';
import type { ServerSession } from '../src/server/session.ts';
import type { Authorize } from '../src/transports/authorization.ts';
import { type ServedHttp, type ServeHttpOptions, serveHttp } from '../src/transports/http/server/node/serve.ts';
import { Mailbox } from './mailbox.ts';
import { RawHttp } from './raw-http.ts';

/** A call of the tool `held`, which the test ends when it likes. */
export interface HeldCall {
  readonly args: { readonly [name: string]: unknown };
  readonly context: RequestContext;
  finish(outcome?: ToolOutcome): void;
}

export interface Served {
  readonly server: Server;
  readonly listener: ServedHttp;
  readonly http: RawHttp;
  readonly calls: Mailbox<HeldCall>;
  /** Settles when the sessions of the server are as the condition wants them; looked at whenever one changes. */
  until(condition: (sessions: ReadonlySet<ServerSession>) => boolean): Promise<void>;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Closed after the test, in the order of their opening. */
export function closeAfterwards(close: () => Promise<unknown>): void {
  closers.push(close);
}

/** Serves a server with a few tools over HTTP. */
export async function serve(options: ServeHttpOptions = {}, serverOptions: ServerOptions = {}): Promise<Served> {
  const { socketPath, path } = options;
  return serveWith(
    (server) => serveHttp(server, options),
    serverOptions,
    (listener) => {
      return new RawHttp(socketPath === undefined ? { port: listener.port } : { socketPath }, path);
    },
  );
}

/** The same with a listener of the test's. */
export async function serveWith(
  listen: (server: Server) => Promise<ServedHttp>,
  serverOptions: ServerOptions = {},
  httpTo = ({ port }: ServedHttp) => new RawHttp({ port }),
): Promise<Served> {
  let wakers: (() => void)[] = [];
  const onState = (session: ServerSession, state: SessionState) => {
    serverOptions.onState?.(session, state);
    const waiting = wakers;
    wakers = [];
    for (const wake of waiting) wake();
  };
  const server = new Server(
    { name: 'test', version: '1.2.3' },
    { capabilities: { logging: {} }, ...serverOptions, onState },
  );
  const calls = new Mailbox<HeldCall>();
  addTools(server, calls);
  server.resource({ uri: 'test://watched', name: 'watched' }, () => 'text');
  const listener = await listen(server);
  closeAfterwards(() => listener.close());
  const http = httpTo(listener);
  const until: Served['until'] = async (condition) => {
    while (!condition(server.sessions)) await new Promise<void>((resolve) => wakers.push(resolve));
  };
  return { server, listener, http, calls, until };
}

/** An `authorize` that takes the Authorization header itself for the principal; without one it is `anonymous`. */
export const byHeader: Authorize = ({ headers }) => ({ id: String(headers.authorization ?? 'anonymous') });

/** What `ask`, `sample` and `roots` need of a client. */
export const EVERYTHING = { elicitation: {}, sampling: {}, roots: {} };

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function addTools(server: Server, calls: Mailbox<HeldCall>): void {
  server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
  server.tool({ name: 'held' }, (args, context) => {
    return new Promise<ToolOutcome>((resolve) => calls.put({ args, context, finish: resolve }));
  });
  server.tool({ name: 'ask' }, async (_args, context) => {
    return JSON.stringify(await context.elicit({ message: 'Who?', requestedSchema: FORM }));
  });
  server.tool({ name: 'sample' }, async (_args, context) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say something' } }];
    return JSON.stringify(await context.createMessage({ messages, maxTokens: 10 }));
  });
  server.tool({ name: 'roots' }, async (_args, context) => JSON.stringify(await context.listRoots()));
  server.tool({ name: 'count' }, (_args, context) => {
    for (const n of [1, 2, 3]) context.progress(n, 3);
    context.log('warning', 'counted');
    return 'three';
  });
}

/** Listens on a free port with an http.Server of the test's. */
export async function listenOn(
  http: HttpServer,
  { stats, close }: Pick<ServedHttp, 'stats' | 'close'>,
): Promise<ServedHttp> {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  closeAfterwards(async () => http.close().closeAllConnections());
  return { port, url: `http://127.0.0.1:${port}/mcp`, stats, close };
}

/** What a tool that responds with text has said. */
export function textOf(response: { result?: { content?: readonly { text?: string }[] } }): string | undefined {
  return response.result?.content?.[0]?.text;
}
