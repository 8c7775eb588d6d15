import type { ServerSession } from '@hawser/mcp';
import type { ToolContext } from '../tool-context.ts';

/** Runs code for the agent's model. What becomes of the code is its result; rejects if the code can't be run. */
export type Evaluate = (code: string, options: { readonly signal: AbortSignal }) => Promise<CodeResult>;

export interface CodeResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What the tools of this adapter work with. */
export interface ClaudeToolContext extends ToolContext {
  /** Undefined if the user has configured nothing that runs code. */
  readonly evaluate: Evaluate | undefined;
  /** The agent has taken a prompt, and with it the selection that it knew. */
  readonly promptTaken: (session: ServerSession) => void;
}
