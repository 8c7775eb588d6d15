import { defineNotification } from '@hawser/mcp';

export interface OpenFile {
  readonly path: string;
  /** When it was last active, in milliseconds since 1970. The agent takes the newest for the active one. */
  readonly timestamp: number;
  readonly isActive?: true;
  /** From 1. */
  readonly cursor?: { readonly line: number; readonly character: number };
  readonly selectedText?: string;
}

export interface Context {
  /** Whether the folder is trusted is left out: the bridge can't know it, and agents have their own setting for it. */
  readonly workspaceState: { readonly openFiles: readonly OpenFile[] };
}

export const contextUpdate = defineNotification<Context>('ide/contextUpdate');
export const diffAccepted = defineNotification<{ filePath: string; content: string }>('ide/diffAccepted');
export const diffRejected = defineNotification<{ filePath: string }>('ide/diffRejected');
