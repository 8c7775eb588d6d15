import type { JsonSchema, ToolAnnotations } from '@hawser/mcp';

type Properties = { readonly [name: string]: JsonSchema };

export const SESSION: Properties = {
  session: {
    type: 'string',
    description: 'Which session: each is a Lisp of its own, made when first used. Default: default',
    minLength: 1,
    maxLength: 64,
  },
};

export const TIMEOUT: Properties = {
  timeout: {
    type: 'number',
    description: 'Seconds until it is interrupted; 0 for no limit. Default: the configured limit (30)',
    minimum: 0,
    maximum: 86_400,
  },
};

export const PACKAGE: Properties = {
  package: { type: 'string', description: 'The package to work in. Default: the current one', maxLength: 1000 },
};

/** What a client may expect of a tool that tells what there is. */
export const READS: ToolAnnotations = hints({ readOnlyHint: true, idempotentHint: true });

/** Of one that runs any code. */
export const RUNS_CODE: ToolAnnotations = hints({ destructiveHint: true, openWorldHint: true });

/** Of one that runs macros, which are not meant to change anything but may do it. */
export const RUNS_MACROS: ToolAnnotations = hints({ openWorldHint: true });

/** Of one after which what a Lisp knew is gone. */
export const ENDS_A_LISP: ToolAnnotations = hints({ destructiveHint: true, idempotentHint: true });

/** Of one that says how Lisps are to go on. */
export const STEERS: ToolAnnotations = hints({ idempotentHint: true });

/** An object schema that knows no other members. */
export function input(properties: Properties, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/** All of them are told: what is absent would count as true for some and false for others. */
function hints(held: ToolAnnotations): ToolAnnotations {
  return { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false, ...held };
}

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const rows = (properties: Properties): JsonSchema => ({ type: 'array', items: { type: 'object', properties } });

/** What every tool that speaks with a Lisp answers. */
export const ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'Whether it went through without an error' },
    session: text,
    engine: { type: 'string', description: 'Which Lisp answered' },
    package: { type: 'string', description: 'The current package afterwards' },
    values: { ...texts, description: 'The printed values of the last form' },
    stdout: text,
    stderr: text,
    warnings: texts,
    findings: rows({ kind: text, name: text, detail: text }),
    error: {
      type: 'object',
      properties: {
        type: { type: 'string', description: 'The class of the condition' },
        types: { ...texts, description: 'That class and its superclasses, the most specific first' },
        message: text,
        phase: { type: 'string', enum: ['read', 'compile', 'evaluate', 'print', 'load'] },
        form: { type: 'integer', description: 'Which top-level form, from 1' },
        line: { type: 'integer', description: 'From 1' },
        column: { type: 'integer', description: 'From 0' },
        restarts: rows({ name: text, description: text }),
        frames: { ...texts, description: 'User frames, the innermost first' },
      },
      required: ['type', 'types', 'message', 'phase', 'restarts', 'frames'],
    },
    debugging: { type: 'boolean', description: 'The error is open: see the debugger tool' },
    interrupted: { type: 'string', enum: ['timeout', 'request'] },
    sessionLost: {
      type: 'object',
      description: 'The Lisp is gone, with all it knew; the next call starts a fresh one',
      properties: { kind: text, message: text },
      required: ['kind', 'message'],
    },
    notes: { ...texts, description: 'What else happened to the session' },
    hint: { type: 'string', description: 'What may help with the error' },
    problem: { type: 'string', description: 'Why the call did not reach a Lisp' },
    timing: {
      type: 'object',
      properties: {
        realMs: { type: 'number' },
        runMs: { type: 'number' },
        bytesConsed: { type: 'number' },
      },
    },
  },
  required: ['ok', 'session'],
};
