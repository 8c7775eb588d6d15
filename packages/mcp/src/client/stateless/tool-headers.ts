import { headersFor, type ParameterHeader, parameterHeaders } from '../../protocol/parameter-headers.ts';
import type { Tool } from '../../protocol/types.ts';

/** The arguments of listed tools that are also sent as headers. */
export class ToolHeaders {
  readonly #headers = new Map<string, readonly ParameterHeader[]>();

  /** Returns the tools with valid headers; the others must not be called, and `warn` gets the reason. */
  learn(tools: readonly Tool[], warn: (problem: string) => void): Tool[] {
    this.#headers.clear();
    return tools.filter(({ name, inputSchema }) => {
      const declared = parameterHeaders(inputSchema ?? {});
      if (!declared.ok) warn(`The tool ${name} is left out: ${declared.problem}`);
      else if (declared.headers.length > 0) this.#headers.set(name, declared.headers);
      return declared.ok;
    });
  }

  headersFor(tool: string, args: object): Record<string, string> | undefined {
    const declared = this.#headers.get(tool);
    return declared && headersFor(declared, args);
  }
}
