import type { Connection } from '@hawser/mcp';
import { connectWebSocket } from '@hawser/mcp/websocket';
import type { WebSocketTarget } from '../target.ts';

export interface WebSocketOptions {
  readonly signal?: AbortSignal;
}

/** Rejects, saying why, when the server cannot be reached or refuses. */
export async function openWebSocket(
  { url, headers }: WebSocketTarget,
  options: WebSocketOptions = {},
): Promise<Connection> {
  return await connectWebSocket(url, { headers, ...options });
}
