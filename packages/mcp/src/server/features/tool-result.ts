import { messageOf } from '../../jsonrpc/errors.ts';
import type { CallToolResult, ContentBlock, Meta } from '../../protocol/types.ts';
import { kindOf, problemOfBlock } from './content-block.ts';

/** A text, blocks of content, structured content, or nothing. Throw to report a failure. */
export type ToolOutcome = string | Partial<CallToolResult> | undefined;

/** What a tool with an `outputSchema` returns: structured content of its type, or a failure. */
export type StructuredOutcome<Output> =
  | { structuredContent: Output; content?: ContentBlock[]; isError?: false; _meta?: Meta }
  | { isError: true; content: ContentBlock[]; structuredContent?: unknown; _meta?: Meta };

/** What is wrong with the type of an outcome, as in `returned a number; …`; undefined when it is fine. */
export function problemOfOutcome(outcome: unknown): string | undefined {
  if (typeof outcome === 'string' || outcome === undefined) return undefined;
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return wrong(kindOf(outcome));
  const { content, structuredContent, isError, _meta } = outcome as Partial<CallToolResult>;
  if (content !== undefined) {
    if (!Array.isArray(content)) return wrong(`content that is ${kindOf(content)}`);
    return problemOfBlocks(content);
  }
  if (structuredContent !== undefined) {
    const isJson = typeof structuredContent !== 'function' && typeof structuredContent !== 'symbol';
    return isJson ? undefined : wrong(`structuredContent that is ${kindOf(structuredContent)}`);
  }
  const isEmpty = isError !== undefined || _meta !== undefined || isEmptyObject(outcome);
  return isEmpty ? undefined : wrong('an object without content or structuredContent');
}

/** Call it only if `problemOfOutcome` finds none. Throws if structured content is not JSON. */
export function asToolResult(outcome: ToolOutcome): CallToolResult {
  if (typeof outcome === 'string') return { content: [{ type: 'text', text: outcome }] };
  if (outcome === undefined) return { content: [] };
  if (outcome.content !== undefined) return outcome as CallToolResult;
  const { structuredContent } = outcome;
  // Clients that do not know structured content read it as text.
  const text = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  return { ...outcome, content: text === undefined ? [] : [{ type: 'text', text }] };
}

/** A result that tells the model how the tool failed. */
export function failureResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

export function thrownResult(thrown: unknown): CallToolResult {
  return failureResult(thrown === undefined ? 'The tool failed and gave no reason' : messageOf(thrown));
}

/** Whether the handler continues as a task. */
export function isTask(outcome: ToolOutcome): boolean {
  return typeof outcome === 'object' && outcome !== null && 'resultType' in outcome && outcome.resultType === 'task';
}

function problemOfBlocks(content: readonly unknown[]): string | undefined {
  for (let index = 0; index < content.length; index += 1) {
    const problem = problemOfBlock(content[index]);
    if (problem !== undefined) return `returned content whose item ${index} ${problem}`;
  }
  return undefined;
}

/** A Date or a generator has no keys either. */
function isEmptyObject(value: object): boolean {
  return Object.keys(value).length === 0 && Object.getPrototypeOf(value) === Object.prototype;
}

function wrong(returned: string): string {
  return `returned ${returned}; return a string, { content: […] }, { structuredContent } or nothing`;
}
