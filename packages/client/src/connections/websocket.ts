import type { Connection } from '@hawser/mcp';
import { connectWebSocket } from '@hawser/mcp/websocket';
import type { WebSocketTarget } from '../target.ts';

export interface WebSocketOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the handshake; 0 is no limit. */
  readonly timeout?: number;
}

/** Rejects, saying why, when the server cannot be reached or refuses. */
export async function openWebSocket(
  { url, headers }: WebSocketTarget,
  { signal, timeout }: WebSocketOptions = {},
): Promise<Connection> {
  return await connectWebSocket(url, {
    headers,
    ...(signal !== undefined && { signal }),
    ...(timeout !== undefined && { timeout }),
  });
}
