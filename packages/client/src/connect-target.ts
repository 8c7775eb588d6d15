import type { Connection } from '@hawser/mcp';
import type { StdioOptions } from './connections/stdio.ts';
import type { WebSocketOptions } from './connections/websocket.ts';
import type { Target } from './target.ts';

/** A connection without a session, for programs that send their own messages. Loads the transport that it uses. */
export async function connectTarget(
  target: Target,
  options: StdioOptions & WebSocketOptions = {},
): Promise<Connection> {
  switch (target.kind) {
    case 'stdio': {
      const { openStdio } = await import('./connections/stdio.ts');
      return openStdio(target, options);
    }
    case 'http': {
      const { openHttp } = await import('./connections/http.ts');
      return openHttp(target);
    }
    case 'websocket': {
      const { openWebSocket } = await import('./connections/websocket.ts');
      return await openWebSocket(target, options);
    }
  }
}
