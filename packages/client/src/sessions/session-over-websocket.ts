import type { ClientSession } from '@hawser/mcp/client';
import { openWebSocket } from '../connections/websocket.ts';
import type { WebSocketTarget } from '../target.ts';
import { type SessionOptions, startSession } from './start-session.ts';

export async function sessionOverWebSocket(target: WebSocketTarget, options: SessionOptions): Promise<ClientSession> {
  return await startSession(await openWebSocket(target, options), options);
}
