import { messageOf } from '../../jsonrpc/errors.ts';
import type { CallToolResult } from '../../protocol/types.ts';

/** A text, blocks of content, structured content, or nothing to say. Throw to report a failure. */
export type ToolOutcome = string | Partial<CallToolResult> | undefined;

export function asToolResult(outcome: ToolOutcome): CallToolResult {
  if (typeof outcome === 'string') return { content: [{ type: 'text', text: outcome }] };
  if (outcome === undefined) return { content: [] };
  if (outcome.content !== undefined) return outcome as CallToolResult;
  const { structuredContent } = outcome;
  // Clients that do not know structured content read it as text.
  const text = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  return { ...outcome, content: text === undefined ? [] : [{ type: 'text', text }] };
}

/** What a model reads of a tool that failed. */
export function failureResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

export function thrownResult(thrown: unknown): CallToolResult {
  return failureResult(thrown === undefined ? 'The tool failed and gave no reason' : messageOf(thrown));
}

/** Whether a handler went on as a task. */
export function isTask(outcome: ToolOutcome): boolean {
  return typeof outcome === 'object' && 'resultType' in outcome && outcome.resultType === 'task';
}
