import type { ServerSession } from '@hawser/mcp';
import type { SelectionFeed } from '../../access/selection-feed.ts';
import type { ToolContext } from '../tool-context.ts';

/** Runs code for the agent's model. Whatever becomes of the code is its result; rejecting is for what failed to run it. */
export type Evaluate = (code: string, options: { readonly signal: AbortSignal }) => Promise<CodeResult>;

export interface CodeResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What the tools of this door work with. */
export interface ClaudeToolContext extends ToolContext {
  readonly selections: SelectionFeed;
  /** Undefined when the user has configured nothing that runs code. */
  readonly evaluate: Evaluate | undefined;
  /** The agent has taken a prompt, and with it the selection it knew of. */
  readonly promptTaken: (session: ServerSession) => void;
}
