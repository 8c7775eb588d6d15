import type { JsonSchema } from '@hawser/mcp';

export const PATH = { type: 'string', description: 'Path of the file, absolute or relative to the workspace' };
export const LINE = { type: 'integer', minimum: 1, description: 'Line number; the first line is 1' };

/** Where a name is in a file: by the name itself, which models get right more often than columns. */
export const PLACE = {
  path: PATH,
  symbol: { type: 'string', description: 'The name as it is written there. Give it instead of column.' },
  line: { ...LINE, description: 'Line of that name; the first line is 1. Without it the first place with the name.' },
  column: { type: 'integer', minimum: 1, description: 'Column of the name in line, instead of symbol; the first is 1' },
} as const;

export interface PlaceArguments {
  readonly path: string;
  readonly symbol?: string;
  readonly line?: number;
  readonly column?: number;
}

export function object(
  properties: { readonly [name: string]: JsonSchema },
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required: [...required] };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export const TEXT = { type: 'string' };
export const COUNT = { type: 'integer' };
export const FLAG = { type: 'boolean' };

/** A place in a result. Lines and columns count from 1. */
export const LOCATION = object({ path: TEXT, line: COUNT, column: COUNT, text: TEXT }, ['path', 'line', 'column']);

/** It changes nothing but what the user sees. */
export const READS = { readOnlyHint: true, openWorldHint: false };
