import type { ToolDefinition, ToolOutcome } from '@hawser/mcp';
import { type JsonSchema, type Registration, type RequestContext, RpcError, type Server } from '@hawser/mcp';
import type { ToolContext } from '../adapter-parts/tool-context.ts';

/** One tool for models. */
export interface EditorTool {
  readonly definition: ToolDefinition<JsonSchema>;
  /** Whether the editor can do it now. Others are not listed. */
  isOffered(context: ToolContext): boolean;
  /** The arguments fit the definition's schema. An Error that it throws is the model's answer. */
  run(args: never, context: ToolContext, request: RequestContext): Promise<ToolOutcome>;
}

/** The same with the type of its arguments. */
export interface TypedTool<Arguments> extends Omit<EditorTool, 'run'> {
  run(args: Arguments, context: ToolContext, request: RequestContext): Promise<ToolOutcome>;
}

export function editorTool<Arguments>(tool: TypedTool<Arguments>): EditorTool {
  return tool;
}

/** Registers the tools that the editor can do now. Call `update` when that may have changed. */
export function offerTools(
  server: Server,
  tools: readonly EditorTool[],
  context: ToolContext,
): { readonly update: () => void } {
  const offered = new Map<EditorTool, Registration>();
  const update = () => {
    for (const tool of tools) {
      const registration = offered.get(tool);
      const isOffered = tool.isOffered(context);
      if (isOffered && registration === undefined) offered.set(tool, add(server, tool, context));
      if (isOffered || registration === undefined) continue;
      registration.remove();
      offered.delete(tool);
    }
  };
  update();
  return { update };
}

function add(server: Server, tool: EditorTool, context: ToolContext): Registration {
  return server.tool<never>(tool.definition, async (args, request) => {
    try {
      return await tool.run(args, context, request);
    } catch (error) {
      // What editors and access rules throw is meant to be read. It is an answer, not a failure to report.
      if (!(error instanceof Error) || error instanceof RpcError) throw error;
      return failure(error.message);
    }
  });
}

/** A result that tells the model that nothing was done, and why. */
export function failure(text: string): ToolOutcome {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** A result for the model to read and, in another form, for programs. */
export function result(text: string, structuredContent: { [key: string]: unknown }): ToolOutcome {
  return { content: [{ type: 'text', text }], structuredContent };
}
