import type { JsonSchema, ToolAnnotations } from '@hawser/mcp';

type Properties = { readonly [name: string]: JsonSchema };

// Every conversation pays for these texts: only evaluate-lisp explains the arguments that many tools share.

export const SESSION: Properties = { session: { type: 'string' } };

export const TIMEOUT: Properties = { timeout: { type: 'number', minimum: 0, maximum: 86_400 } };

export const PACKAGE: Properties = { package: { type: 'string' } };

/** The arguments of a tool that looks something up by name. */
export const LOOKUP: Properties = {
  ...PACKAGE,
  ...SESSION,
  offset: { type: 'integer', minimum: 0 },
  limit: { type: 'integer', minimum: 1, maximum: 1000 },
};

/** A system to load or test. */
export const SYSTEM: Properties = {
  system: { type: 'string', minLength: 1, maxLength: 1000 },
  output: { enum: ['summary', 'full'], description: 'full: all output' },
};

/** A symbol to look up. */
export const SYMBOL: Properties = {
  symbol: { type: 'string', minLength: 1, maxLength: 1000 },
};

// Hints that are not given have the protocol's defaults: not read-only, destructive, open to the world.

/** The tool changes nothing and runs no code of the session. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** The tool can run any code. */
export const RUNS_CODE: ToolAnnotations = { destructiveHint: true };

/** The tool discards the state of a Lisp, or part of it. */
export const DISCARDS: ToolAnnotations = { destructiveHint: true, openWorldHint: false };

/** The tool changes how sessions run and discards nothing. */
export const STEERS: ToolAnnotations = { destructiveHint: false, openWorldHint: false };

/** An object schema without other members. */
export function input(properties: Properties, required: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  };
}

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };

/** What `evaluate-lisp` returns. The other tools that use a Lisp return the same members, and don't repeat this. */
export const EVALUATION: JsonSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    session: text,
    engine: text,
    package: text,
    values: texts,
    stdout: text,
    stderr: text,
    warnings: texts,
    findings: { type: 'array', items: { type: 'object' } },
    error: {
      type: 'object',
      properties: { type: text, types: texts, message: text, phase: text, file: text, frames: texts },
      required: ['type', 'message'],
    },
    interrupted: { enum: ['timeout', 'request'] },
    sessionLost: { type: 'object' },
    hint: text,
    problem: { type: 'string', description: 'Why no Lisp was reached' },
  },
  required: ['ok', 'session'],
};
