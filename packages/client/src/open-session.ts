import type { ClientSession } from '@hawser/mcp/client';
import type { SessionOptions } from './sessions/start-session.ts';
import type { Target } from './target.ts';

/** Connects to a server. Each transport is loaded with its own client, and only when it is used. */
export async function openSession(target: Target, options: SessionOptions): Promise<ClientSession> {
  switch (target.kind) {
    case 'stdio': {
      const { sessionOverStdio } = await import('./sessions/session-over-stdio.ts');
      return await sessionOverStdio(target, options);
    }
    case 'http': {
      const { sessionOverHttp } = await import('./sessions/session-over-http.ts');
      return await sessionOverHttp(target, options);
    }
    case 'websocket': {
      const { sessionOverWebSocket } = await import('./sessions/session-over-websocket.ts');
      return await sessionOverWebSocket(target, options);
    }
  }
}
