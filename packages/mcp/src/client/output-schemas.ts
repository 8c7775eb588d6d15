import { InvalidResponse, LimitExceeded, messageOf } from '../jsonrpc/errors.ts';
import {
  type Check,
  describeProblems,
  foreignCheck,
  type JsonSchema,
  prepareSchema,
  type StandardSchemaV1,
} from '../protocol/schema/validate.ts';
import type { CallToolResult, Tool } from '../protocol/types.ts';

/** The output schemas of listed tools, and the check of results against them. */
export class OutputSchemas {
  readonly #maxSchemaMs: number;
  #checks = new Map<string, Check>();

  constructor(maxSchemaMs: number) {
    this.#maxSchemaMs = maxSchemaMs;
  }

  get isEmpty(): boolean {
    return this.#checks.size === 0;
  }

  /** Replaces the schemas with those of a new list. */
  learn(tools: readonly Tool[]): void {
    this.#checks = new Map();
    for (const { name, outputSchema } of tools) {
      if (outputSchema !== undefined) this.#checks.set(name, foreignCheck(outputSchema, this.#maxSchemaMs));
    }
  }

  /** Rejects when the result does not fit the schema, or the schema cannot be used. */
  async check(name: string, result: CallToolResult): Promise<CallToolResult> {
    const check = this.#checks.get(name);
    if (check === undefined || result.isError) return result;
    await checkStructuredContent(name, check, result).catch((error) => {
      // A schema that takes too long is not tried again.
      if (error.cause instanceof LimitExceeded) this.#checks.set(name, () => Promise.reject(error.cause));
      throw error;
    });
    return result;
  }
}

/** A result whose structured content has the type of the schema given to `callTool`. */
export type TypedToolResult<Output> = Omit<CallToolResult, 'structuredContent'> & {
  /** Absent when the tool failed. */
  readonly structuredContent?: Output;
};

/** Checks a result against a schema that the caller gave, whose output becomes the structured content. */
export async function checkedBy(
  schema: JsonSchema | StandardSchemaV1,
  name: string,
  result: CallToolResult,
): Promise<CallToolResult> {
  if (result.isError) return result;
  const structuredContent = await checkStructuredContent(name, prepareSchema(schema, {}).check, result);
  return { ...result, structuredContent } as CallToolResult;
}

/** Returns the content as the schema reads it. */
async function checkStructuredContent(name: string, check: Check, result: CallToolResult): Promise<unknown> {
  let checked: Awaited<ReturnType<Check>>;
  try {
    checked = await check(result.structuredContent);
  } catch (error) {
    throw new InvalidResponse(`The outputSchema of tool ${name} cannot be used: ${messageOf(error)}`, { cause: error });
  }
  if (checked.ok) return checked.value;
  throw new InvalidResponse(
    `The result of tool ${name} does not match its outputSchema: ${describeProblems(checked.problems, 'structuredContent')}`,
  );
}
