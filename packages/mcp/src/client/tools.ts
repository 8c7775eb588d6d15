import { describeProblems, type PreparedSchema, prepareSchema } from '../protocol/schema/validate.ts';
import type { CallToolResult, Tool } from '../protocol/types.ts';

/** Remembers which tools promise structured content, and holds them to it. */
export class OutputSchemas {
  readonly #outputs = new Map<string, PreparedSchema>();

  get isEmpty(): boolean {
    return this.#outputs.size === 0;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema } of tools) {
      if (outputSchema !== undefined) this.#outputs.set(name, prepareSchema(outputSchema));
      else this.#outputs.delete(name);
    }
  }

  async check(name: string, result: CallToolResult): Promise<CallToolResult> {
    const promised = this.#outputs.get(name);
    if (promised === undefined || result.isError) return result;
    const checked = await promised.check(result.structuredContent);
    if (checked.ok) return result;
    const what = describeProblems(checked.problems, 'structuredContent');
    throw new Error(`Tool ${name} broke its outputSchema: ${what}`);
  }
}
