import type { Connection } from '../../jsonrpc/connection.ts';
import { type ListenStdioOptions, listenStdio } from './listen.ts';

export interface ServeStdioOptions extends ListenStdioOptions {}

/** Serves the process that started this one, on stdin and stdout. Returns the session. */
export function serveStdio<Session>(
  server: { connect(connection: Connection): Session },
  options: ServeStdioOptions = {},
): Session {
  return server.connect(listenStdio(options));
}
