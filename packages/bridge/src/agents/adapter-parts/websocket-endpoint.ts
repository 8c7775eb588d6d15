import type { EditorEndpoint } from '../../discovery/format.ts';
import type { Lock } from '../../discovery/lock.ts';

/** The header that has the token, on the WebSockets of Claude Code and of the JetBrains plugin. */
export const AUTHORIZATION = 'x-claude-code-ide-authorization';

/** How a client connects by a lock file of Claude Code or of the JetBrains plugin. */
export function websocketEndpoint({ port, token }: Lock): EditorEndpoint | undefined {
  if (port === undefined) return undefined;
  const headers: Record<string, string> = token === undefined ? {} : { [AUTHORIZATION]: token };
  return { url: `ws://127.0.0.1:${port}`, headers };
}
