import type { ServerSession } from '@hawser/mcp';
import type { Evaluate } from '../../agent.ts';
import type { ToolContext } from '../adapter-parts/tool-context.ts';

/** What the tools of this adapter work with. */
export interface ClaudeToolContext extends ToolContext {
  /** Undefined if the user has configured nothing that runs code. */
  readonly evaluate: Evaluate | undefined;
  /** The agent has taken a prompt, and with it the selection that it knew. */
  readonly promptTaken: (session: ServerSession) => void;
}
