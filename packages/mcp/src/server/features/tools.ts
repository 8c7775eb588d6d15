import { ErrorCode, messageOf, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { promiseOf } from '../../jsonrpc/thenable.ts';
import type { Schema } from '../../protocol/infer-schema.ts';
import { type ParameterHeader, parameterHeaders, parameterMismatch } from '../../protocol/parameter-headers.ts';
import {
  type Checked,
  describeProblems,
  type JsonSchema,
  type PreparedSchema,
} from '../../protocol/schema/validate.ts';
import { header, headerMismatch } from '../../protocol/stateless.ts';
import type { CallToolResult, ContentBlock, Icon, Meta, Tool, ToolAnnotations } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import { InputRequired } from '../stateless/rounds.ts';
import { describeKind, problemOfBlock } from './content-block.ts';
import { type Listable, type ListedKind, type ListedRegistration, Listing, type Paging } from './listing.ts';
import { prepareAny, prepareObject } from './registered-schema.ts';
import { checkName, checkSchemaName, checkShape } from './registration-checks.ts';

export interface ToolDefinition<Input extends Schema = Schema> extends Listable {
  /** Best 1 to 128 characters of A-Z a-z 0-9 _ - and . as the specification recommends: some clients refuse others. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Plain JSON Schema, or a schema of any library that follows Standard Schema. Default: any object. */
  readonly inputSchema?: Input;
  /** The JSON Schema to list, for schema libraries that cannot produce one. */
  readonly inputJsonSchema?: JsonSchema;
  /** `structuredContent` is checked against it. */
  readonly outputSchema?: Schema | undefined;
  readonly outputJsonSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

// biome-ignore lint/suspicious/noConfusingVoidType: before version 6, TypeScript refuses handlers without a return statement otherwise
export type ToolHandler<Arguments, Outcome = ToolOutcome | void> = (
  args: Arguments,
  context: RequestContext,
) => Outcome | Promise<Outcome>;

/**
 * The handler of a tool whose arguments have a type that is stated, as in `server.tool<{ path: string }>(…)`. Where it is
 * stated, TypeScript does not infer the tool's name. Other calls get the text of their mistake.
 */
export type StatedHandler<Arguments, Name extends string> = string extends Name
  ? ToolHandler<Arguments>
  : 'The handler must return { structuredContent } of the type of outputSchema';

/** A tool that was added. */
export type ToolRegistration = ListedRegistration<ToolDefinition, ToolHandler<never>>;

interface ToolEntry {
  readonly tool: Tool;
  /** The arguments that are repeated in HTTP headers; found when first needed. */
  headers?: readonly ParameterHeader[];
  readonly input: PreparedSchema;
  readonly output: PreparedSchema | undefined;
  readonly handler: ToolHandler<unknown, ToolOutcome>;
}

/** The tools of a server: `tools/list` and `tools/call`. */
export class Tools {
  readonly list: Listing<ToolDefinition, ToolHandler<never>, ToolEntry>;

  constructor(paging: Paging, changed: () => void) {
    this.list = new Listing(TOOL, paging, changed);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['tools/list', (params, context) => this.list.page(params, context)],
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
    const entry = this.list.get(name, context.principal);
    if (entry === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${quoted(name)}`);
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
    let outcome: ToolOutcome | Promise<ToolOutcome>;
    try {
      outcome = entry.handler(checked.value, context);
    } catch (thrown) {
      return failed(thrown, name, context);
    }
    const promise = promiseOf(outcome);
    if (promise === undefined) return this.#finish(entry, outcome as ToolOutcome, context);
    return promise.then(
      (value) => this.#finish(entry, value as ToolOutcome, context),
      (thrown) => failed(thrown, name, context),
    );
  }

  #finish(entry: ToolEntry, outcome: ToolOutcome, context: RequestContext): unknown {
    if (isTask(outcome)) return outcome;
    const { shape } = context.revision;
    try {
      const result = toResult(outcome, entry);
      if (!(result instanceof Promise)) return shape.toolResult(result);
      return result.then(
        (checked) => shape.toolResult(checked),
        (thrown) => broken(thrown, entry, context),
      );
    } catch (thrown) {
      return broken(thrown, entry, context);
    }
  }

  /** The result of a task, by the same rules as that of the tool that started it. Throws, or rejects with, a TypeError. */
  resultOf(outcome: ToolOutcome, tool: string | undefined): CallToolResult | Promise<CallToolResult> {
    return toResult(outcome, tool === undefined ? undefined : this.list.known(tool));
  }
}

const TOOL: ListedKind<ToolDefinition, ToolHandler<never>, ToolEntry> = {
  noun: 'tool',
  member: 'tools',
  make: makeTool,
  wire: ({ tool }, { shape }) => shape.tool(tool),
};

/** Checks a definition and prepares it for calls. Throws a TypeError for a mistake. */
function makeTool(definition: ToolDefinition, handler: ToolHandler<never>): { key: string; entry: ToolEntry } {
  checkShape('tool', definition, handler, "server.tool({ name: 'search', inputSchema }, (args, context) => …)");
  const { visible: _local, ...listed } = definition;
  const { name, inputSchema = {}, inputJsonSchema, outputSchema, outputJsonSchema, ...described } = listed;
  checkName('Tool', name);
  checkSchemaName(name, definition);
  const input = prepareObject(`Tool ${name}: inputSchema`, inputSchema, inputJsonSchema, 'inputJsonSchema');
  const output =
    outputSchema && prepareAny(`Tool ${name}: outputSchema`, outputSchema, outputJsonSchema, 'outputJsonSchema');
  const tool = { name, ...described, inputSchema: input.json } as Tool;
  if (output) tool.outputSchema = output.json;
  // Arguments have passed the schema that their type was taken from.
  return { key: name, entry: { tool, input, output, handler: handler as ToolHandler<unknown, ToolOutcome> } };
}

/** Makes a result of what a tool returned. Throws, or rejects with, a TypeError that says what is wrong with it. */
function toResult(outcome: ToolOutcome, entry: ToolEntry | undefined): CallToolResult | Promise<CallToolResult> {
  const name = entry === undefined ? 'the task' : `tool ${entry.tool.name}`;
  const problem = problemOfOutcome(outcome);
  if (problem !== undefined) throw new TypeError(`${name} ${problem}`);
  let result: CallToolResult;
  try {
    result = asToolResult(outcome);
  } catch (thrown) {
    throw new TypeError(`${name} returned structuredContent that is not JSON: ${messageOf(thrown)}`);
  }
  if (entry?.output === undefined || result.isError) return result;
  const checked = entry.output.check(result.structuredContent);
  return checked instanceof Promise
    ? checked.then((output) => requireOutput(name, output, result))
    : requireOutput(name, checked, result);
}

function checkParameterHeaders(entry: ToolEntry, args: object, { revision, origin }: RequestContext): void {
  if (!revision.stateless || origin?.headers === undefined) return;
  if (entry.headers === undefined) {
    const declared = parameterHeaders(entry.tool.inputSchema);
    entry.headers = declared.ok ? declared.headers : [];
  }
  if (entry.headers.length === 0) return;
  const { headers } = origin;
  const mismatch = parameterMismatch(entry.headers, args, (name) => header(headers, name));
  if (mismatch === undefined) return;
  throw headerMismatch(mismatch);
}

function requireOutput(name: string, checked: Checked, result: CallToolResult): CallToolResult {
  if (checked.ok) return result;
  const what = describeProblems(checked.problems, 'structuredContent');
  throw new TypeError(`${name} does not match its outputSchema: ${what}`);
}

/** A mistake in the tool itself: its author has to know, and the client gets an error. */
function broken(thrown: unknown, { tool }: ToolEntry, context: RequestContext): never {
  context.reportFailure(thrown, `tool ${tool.name}`);
  throw new RpcError(ErrorCode.InternalError, `Internal error: ${messageOf(thrown)}`);
}

/** A failed tool tells the model why. An RpcError is meant for the client, and InputRequired ends the round. */
function failed(thrown: unknown, name: string, context: RequestContext): CallToolResult {
  if (thrown instanceof RpcError || thrown instanceof InputRequired) throw thrown;
  context.reportFailure(thrown, `tool ${name}`);
  return thrownResult(thrown);
}

/** A text, blocks of content, structured content, or nothing. Throw to report a failure. */
export type ToolOutcome = string | Partial<CallToolResult> | undefined;

/** What a tool with an `outputSchema` returns: structured content of its type, or a failure. */
export type StructuredOutcome<Output> =
  | { structuredContent: Output; content?: ContentBlock[]; isError?: false; _meta?: Meta }
  | { isError: true; content: ContentBlock[]; structuredContent?: unknown; _meta?: Meta };

/** What is wrong with the type of an outcome, as in `returned a number; …`; undefined when it is fine. */
function problemOfOutcome(outcome: unknown): string | undefined {
  if (typeof outcome === 'string' || outcome === undefined) return undefined;
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return wrong(describeKind(outcome));
  const { content, structuredContent, isError, _meta } = outcome as Partial<CallToolResult>;
  if (content !== undefined) {
    if (!Array.isArray(content)) return wrong(`content that is ${describeKind(content)}`);
    return problemOfBlocks(content);
  }
  if (structuredContent !== undefined) {
    const isJson = typeof structuredContent !== 'function' && typeof structuredContent !== 'symbol';
    return isJson ? undefined : wrong(`structuredContent that is ${describeKind(structuredContent)}`);
  }
  const isEmpty = isError !== undefined || _meta !== undefined || isEmptyObject(outcome);
  return isEmpty ? undefined : wrong('an object without content or structuredContent');
}

/** Call it only if `problemOfOutcome` finds none. Throws if structured content is not JSON. */
function asToolResult(outcome: ToolOutcome): CallToolResult {
  if (typeof outcome === 'string') return { content: [{ type: 'text', text: outcome }] };
  if (outcome === undefined) return { content: [] };
  if (outcome.content !== undefined) return outcome as CallToolResult;
  const { structuredContent } = outcome;
  // Clients that do not know structured content read it as text.
  const text = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  return { ...outcome, content: text === undefined ? [] : [{ type: 'text', text }] };
}

/** A result that tells the model how the tool failed. */
function failureResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

export function thrownResult(thrown: unknown): CallToolResult {
  return failureResult(thrown === undefined ? 'The tool failed and gave no reason' : messageOf(thrown));
}

/** Whether the handler continues as a task. */
function isTask(outcome: ToolOutcome): boolean {
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
