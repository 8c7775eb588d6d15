import type { Connection } from '@hawser/mcp';
import { openHttp } from './connections/http.ts';
import { openStdio, type StdioOptions } from './connections/stdio.ts';
import { openWebSocket, type WebSocketOptions } from './connections/websocket.ts';
import type { Target } from './target.ts';

/** A connection without a session, for programs that send their own messages. It loads every transport. */
export async function connectTarget(
  target: Target,
  { onStderr, ...options }: StdioOptions & WebSocketOptions = {},
): Promise<Connection> {
  if (target.kind === 'stdio') return openStdio(target, onStderr === undefined ? {} : { onStderr });
  return target.kind === 'http' ? openHttp(target) : await openWebSocket(target, options);
}
