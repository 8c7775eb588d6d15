import { messageOf } from '../../jsonrpc/errors.ts';
import type { Schema } from '../../protocol/infer-schema.ts';
import { mistakeIn } from '../../protocol/schema/mistakes.ts';
import {
  type JsonSchema,
  type PreparedSchema,
  prepareSchema,
  requireObjectSchema,
} from '../../protocol/schema/validate.ts';

/** The same as `prepareAny` for the schema of an object, such as arguments. */
export function prepareObject(
  where: string,
  schema: Schema,
  described: JsonSchema | undefined,
  option: string,
): PreparedSchema {
  const { json, check } = prepareAny(where, schema, described, option);
  return { json: requireObjectSchema(json, where), check };
}

/** Prepares a schema of a registration. Throws a TypeError that begins with `where` and names the option that helps. */
export function prepareAny(
  where: string,
  schema: Schema,
  described: JsonSchema | undefined,
  option: string,
): PreparedSchema {
  if (isRawShape(schema)) {
    throw new TypeError(`${where} is an object of schemas; make one schema of it, as z.object({ … }) does`);
  }
  let prepared: PreparedSchema;
  try {
    prepared = prepareSchema(schema, described);
  } catch (error) {
    const help = '~standard' in Object(schema) ? `. Give its JSON Schema as ${option}.` : '';
    throw new TypeError(`${where}: ${messageOf(error)}${help}`, { cause: error });
  }
  const mistake = mistakeIn(prepared.json);
  if (mistake !== undefined) throw new TypeError(`${where}: ${mistake}`);
  return prepared;
}

/** The shape that the official SDK takes: `{ name: z.string() }`. */
function isRawShape(schema: object): boolean {
  if (typeof schema !== 'object' || schema === null || '~standard' in schema) return false;
  return Object.values(schema).some((member) => typeof member === 'object' && member !== null && '~standard' in member);
}
