import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Registration } from '../../protocol/handlers.ts';
import {
  type ParameterHeader,
  parameterHeaders,
  headerMismatch as parameterMismatch,
} from '../../protocol/parameter-headers.ts';
import {
  type Checked,
  describeProblems,
  type JsonSchema,
  type PreparedSchema,
  prepareSchema,
  requireObjectSchema,
  type StandardSchemaV1,
} from '../../protocol/schema/validate.ts';
import type { CallToolResult, Icon, Meta, Tool, ToolAnnotations } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import { header, headerMismatch } from '../stateless/envelope.ts';
import { InputRequired } from '../stateless/rounds.ts';
import { Listing, type Paging } from './listing.ts';
import { asToolResult, failureResult, isTask, type ToolOutcome, thrownResult } from './tool-result.ts';

export interface ToolDefinition<Input = JsonSchema | StandardSchemaV1> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Plain JSON Schema, or a schema of any library that follows Standard Schema. Default: any object. */
  readonly inputSchema?: Input;
  /** The JSON Schema to list, for schema libraries that cannot give one themselves. */
  readonly inputJsonSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema | StandardSchemaV1;
  readonly outputJsonSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

export type ToolHandler<Arguments> = (args: Arguments, context: RequestContext) => ToolOutcome | Promise<ToolOutcome>;

interface ToolEntry {
  readonly tool: Tool;
  /** The arguments that are repeated in HTTP headers; looked up when first needed. */
  headers?: readonly ParameterHeader[];
  readonly input: PreparedSchema;
  readonly output: PreparedSchema | undefined;
  readonly handler: ToolHandler<unknown>;
}

/** The tools of a server: `tools/list` and `tools/call`. */
export class Tools {
  readonly #listing: Listing<ToolEntry, Tool>;

  constructor(paging: Paging, changed: () => void) {
    this.#listing = new Listing({
      noun: 'tool',
      member: 'tools',
      paging,
      wire: ({ tool }, revision) => revision.shape.tool(tool),
      changed,
    });
  }

  get used(): boolean {
    return this.#listing.used;
  }

  add(definition: ToolDefinition, handler: ToolHandler<never>): Registration {
    const { name, inputSchema = {}, inputJsonSchema, outputSchema, outputJsonSchema, ...described } = definition;
    const input = prepareSchema(inputSchema, inputJsonSchema);
    const output = outputSchema && prepareSchema(outputSchema, outputJsonSchema);
    const tool = {
      name,
      ...described,
      inputSchema: requireObjectSchema(input.json, `Tool ${name}: inputSchema`),
    } as Tool;
    if (output) tool.outputSchema = requireObjectSchema(output.json, `Tool ${name}: outputSchema`);
    // What reaches the handler has passed the schema its argument type was taken from.
    return this.#listing.add(name, { tool, input, output, handler: handler as ToolHandler<unknown> });
  }

  methods(): [string, RequestHandler][] {
    return [
      ['tools/list', (params, { revision }) => this.#listing.page(params, revision)],
      ['tools/call', (params, context) => this.#call(params, context)],
    ];
  }

  #call(params: Params | undefined, context: RequestContext): unknown {
    const { name, arguments: given } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    const args = given ?? {};
    if (typeof name !== 'string') throw invalidParams('tools/call', 'name must be a string');
    if (typeof args !== 'object' || Array.isArray(args)) {
      throw invalidParams('tools/call', 'arguments must be an object');
    }
    const entry = this.#listing.get(name);
    if (entry === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    checkParameterHeaders(entry, args, context);
    const checked = entry.input.check(args);
    return checked instanceof Promise
      ? checked.then((outcome) => this.#run(entry, outcome, context))
      : this.#run(entry, checked, context);
  }

  #run(entry: ToolEntry, checked: Checked, context: RequestContext): unknown {
    const { name } = entry.tool;
    if (!checked.ok) {
      const message = `Invalid arguments for tool ${name}: ${describeProblems(checked.problems, 'arguments')}`;
      if (context.revision.invalidToolInput === 'error') throw new RpcError(ErrorCode.InvalidParams, message);
      return failureResult(message);
    }
    try {
      const outcome = entry.handler(checked.value, context);
      if (!isThenable(outcome)) return this.#finish(entry, outcome, context);
      return Promise.resolve(outcome)
        .then((value) => this.#finish(entry, value, context))
        .catch((thrown) => failed(thrown));
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #finish(entry: ToolEntry, outcome: ToolOutcome, { revision }: RequestContext): unknown {
    if (isTask(outcome)) return outcome;
    const result = asToolResult(outcome);
    if (entry.output === undefined || result.isError) return revision.shape.toolResult(result);
    const checked = entry.output.check(result.structuredContent);
    if (!(checked instanceof Promise)) {
      requireOutput(entry.tool.name, checked);
      return revision.shape.toolResult(result);
    }
    return checked.then((outputChecked) => {
      requireOutput(entry.tool.name, outputChecked);
      return revision.shape.toolResult(result);
    });
  }
}

function checkParameterHeaders(entry: ToolEntry, args: object, { revision, origin }: RequestContext): void {
  if (!revision.stateless || origin === undefined) return;
  if (entry.headers === undefined) {
    const declared = parameterHeaders(entry.tool.inputSchema);
    entry.headers = declared.ok ? declared.headers : [];
  }
  const mismatch = parameterMismatch(entry.headers, args, (name) => header(origin, name));
  if (mismatch === undefined) return;
  origin.answerWith(400);
  throw headerMismatch(mismatch);
}

function requireOutput(name: string, checked: Checked): void {
  if (checked.ok) return;
  const what = describeProblems(checked.problems, 'structuredContent');
  throw new RpcError(ErrorCode.InternalError, `Internal error: tool ${name} broke its outputSchema: ${what}`);
}

/** A tool that fails tells the model; an RpcError is meant for the client, and a question ends the round. */
function failed(thrown: unknown): CallToolResult {
  if (thrown instanceof RpcError || thrown instanceof InputRequired) throw thrown;
  return thrownResult(thrown);
}
