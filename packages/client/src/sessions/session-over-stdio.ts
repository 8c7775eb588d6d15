import type { ClientSession } from '@hawser/mcp/client';
import { openStdio } from '../connections/stdio.ts';
import type { StdioTarget } from '../target.ts';
import { type SessionOptions, startSession } from './start-session.ts';

export async function sessionOverStdio(target: StdioTarget, options: SessionOptions): Promise<ClientSession> {
  return await startSession(openStdio(target, options), options);
}
