import type { ServerSession } from '@hawser/mcp';
import type { SelectionFeed } from '../../selection-feed.ts';
import type { Workbench } from '../../workbench.ts';

/** What the tools of this door work with. */
export interface ClaudeWorkbench extends Workbench {
  readonly selections: SelectionFeed;
  /** Runs code for the agent's model, when the user has configured something that can. */
  readonly evaluate?: ((code: string, options: { readonly signal: AbortSignal }) => Promise<string>) | undefined;
  /** The agent has taken a prompt, and with it the selection it knew of. */
  readonly promptTaken: (session: ServerSession) => void;
}
