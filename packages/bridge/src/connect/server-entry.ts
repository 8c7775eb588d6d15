import type { GuidePlaces, ServerEntry } from './guide.ts';

/** The tool that proposes an edit waits for the user, so agents must not give up after a minute. */
export const PATIENCE_SECONDS = 3600;

/** How most agents write down the command of an MCP server. */
export function commandAndArgs([command, ...args]: GuidePlaces['hawser']) {
  return { command, args: [...args, 'mcp'] } satisfies ServerEntry;
}
