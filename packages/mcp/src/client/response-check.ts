import { InvalidResponse } from '../jsonrpc/errors.ts';
import type { Revision } from '../protocol/revision.ts';
import { kindOf } from '../protocol/schema/problem.ts';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  HealthResult,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from '../protocol/types.ts';

export type JsonObject = { readonly [name: string]: unknown };

/** Checks the types in a response of a server. Each method throws InvalidResponse, which names the place. */
export class ResponseCheck {
  readonly #method: string;

  constructor(method: string) {
    this.#method = method;
  }

  object(value: unknown, place = ''): JsonObject {
    if (kindOf(value) !== 'object') this.#fail(place, 'an object', value);
    return value as JsonObject;
  }

  array(value: unknown, place: string): readonly unknown[] {
    if (!Array.isArray(value)) this.#fail(place, 'an array', value);
    return value as readonly unknown[];
  }

  string(value: unknown, place: string): string {
    if (typeof value !== 'string') this.#fail(place, 'a string', value);
    return value as string;
  }

  number(value: unknown, place: string): number {
    if (typeof value !== 'number') this.#fail(place, 'a number', value);
    return value as number;
  }

  /** An array of objects, each with these members as strings. */
  objects(value: unknown, place: string, ...members: readonly string[]): readonly JsonObject[] {
    const items = this.array(value, place);
    for (const [index, item] of items.entries()) {
      const isObject = kindOf(item) === 'object';
      if (isObject && members.every((member) => typeof (item as JsonObject)[member] === 'string')) continue;
      const object = this.object(item, `${place}[${index}]`);
      for (const member of members) this.string(object[member], `${place}[${index}].${member}`);
    }
    return items as readonly JsonObject[];
  }

  #fail(place: string, expected: string, value: unknown): never {
    const what = place === '' ? 'it' : place;
    throw new InvalidResponse(
      `The server's response to ${this.#method} is malformed: ${what} must be ${expected}, got ${kindOf(value)}`,
    );
  }
}

/** One method that lists something in pages. */
export interface ListMethod<T> {
  readonly method: string;
  readonly member: string;
  /** Throws InvalidResponse. */
  items(page: unknown, check: ResponseCheck): readonly T[];
}

function listMethod<T>(method: string, member: string, key: string): ListMethod<T> {
  // Only the members that the client uses are checked.
  return {
    method,
    member,
    items: (page, check) => check.objects(page, member, key) as readonly unknown[] as readonly T[],
  };
}

export const PROMPTS = listMethod<Prompt>('prompts/list', 'prompts', 'name');
export const RESOURCES = listMethod<Resource>('resources/list', 'resources', 'uri');
export const TEMPLATES = listMethod<ResourceTemplate>('resources/templates/list', 'resourceTemplates', 'uriTemplate');
export const TOOLS: ListMethod<Tool> = {
  method: 'tools/list',
  member: 'tools',
  items: (page, check) => {
    const tools = check.objects(page, 'tools', 'name');
    tools.forEach(({ inputSchema, outputSchema }, index) => {
      if (inputSchema !== undefined) check.object(inputSchema, `tools[${index}].inputSchema`);
      if (outputSchema !== undefined) check.object(outputSchema, `tools[${index}].outputSchema`);
    });
    return tools as readonly unknown[] as readonly Tool[];
  },
};

export function checkToolResult(result: unknown, { structuredContent: allowed }: Revision): CallToolResult {
  const check = new ResponseCheck('tools/call');
  const { content, structuredContent } = check.object(result);
  if (structuredContent !== undefined && allowed === 'object') check.object(structuredContent, 'structuredContent');
  if (content === undefined) return { ...(result as CallToolResult), content: [] };
  check.objects(content, 'content', 'type');
  return result as CallToolResult;
}

export function checkPromptResult(result: unknown): GetPromptResult {
  const check = new ResponseCheck('prompts/get');
  const messages = check.objects(check.object(result).messages, 'messages', 'role');
  for (const [index, { content }] of messages.entries()) check.object(content, `messages[${index}].content`);
  return result as GetPromptResult;
}

export function checkResourceContents(result: unknown): ResourceContents[] {
  const check = new ResponseCheck('resources/read');
  return check.objects(check.object(result).contents, 'contents', 'uri') as readonly unknown[] as ResourceContents[];
}

export function checkCompletion(result: unknown): CompleteResult['completion'] {
  const check = new ResponseCheck('completion/complete');
  const completion = check.object(check.object(result).completion, 'completion');
  const values = check.array(completion.values, 'completion.values');
  for (const [index, value] of values.entries()) check.string(value, `completion.values[${index}]`);
  return completion as unknown as CompleteResult['completion'];
}

export function checkHealth(result: unknown): HealthResult {
  return new ResponseCheck('health').object(result) as unknown as HealthResult;
}
