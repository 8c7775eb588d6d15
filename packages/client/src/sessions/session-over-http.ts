import type { ClientSession } from '@hawser/mcp/client';
import { openHttp } from '../connections/http.ts';
import type { HttpTarget } from '../target.ts';
import { type SessionOptions, startSession } from './start-session.ts';

export async function sessionOverHttp(target: HttpTarget, options: SessionOptions): Promise<ClientSession> {
  return await startSession(openHttp(target), options);
}
