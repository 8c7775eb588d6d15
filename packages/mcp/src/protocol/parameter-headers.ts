import { isObject } from '../jsonrpc/codec.ts';
import type { JsonSchema } from './schema/validate.ts';
import { decodeHeaderValue, encodeHeaderValue, withoutBlanks } from './stateless.ts';

/** An argument of a tool that is also sent as the header `Mcp-Param-<name>`. */
export interface ParameterHeader {
  readonly name: string;
  /** Where the argument stands: the names of properties, from the root. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

export type ParameterHeaders =
  | { readonly ok: true; readonly headers: readonly ParameterHeader[] }
  | { readonly ok: false; readonly problem: string };

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** A property's path counts only when it leads through `properties` alone; below these, a header is ambiguous. */
const ONE_SCHEMA = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const MANY_SCHEMAS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const NAMED_SCHEMAS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties'];
/** Paths are copied step by step, so they may not grow for ever. */
const MAX_DEPTH = 100;

interface Place {
  readonly schema: unknown;
  /** Undefined where no header may be declared. */
  readonly path: readonly string[] | undefined;
}

/** The headers that a tool's input schema declares, or what is wrong with them. */
export function parameterHeaders(inputSchema: JsonSchema): ParameterHeaders {
  const headers: ParameterHeader[] = [];
  const taken = new Set<string>();
  // A list of places rather than recursion: a schema from outside may be nested deeper than the stack.
  const places: Place[] = [{ schema: inputSchema, path: [] }];
  for (const { schema, path } of places) {
    if (!isObject(schema)) continue;
    if (Object.hasOwn(schema, KEYWORD)) {
      const declared = declaration(schema, path);
      if (typeof declared === 'string') return { ok: false, problem: declared };
      const key = declared.name.toLowerCase();
      if (taken.has(key)) return { ok: false, problem: `${KEYWORD} ${declared.name} is declared twice` };
      taken.add(key);
      headers.push(declared);
    }
    addBelow(places, schema, path);
  }
  return { ok: true, headers };
}

/** The headers to send with a call. */
export function headersFor(headers: readonly ParameterHeader[], args: object): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const header of headers) {
    const value = argumentOf(header, args);
    if (value !== undefined) sent[`Mcp-Param-${header.name}`] = encodeHeaderValue(value);
  }
  return sent;
}

/** What is wrong with the headers of a call, if anything; `sent` takes names in lower case. */
export function parameterMismatch(
  headers: readonly ParameterHeader[],
  args: object,
  sent: (lowerCaseName: string) => string | undefined,
): string | undefined {
  for (const header of headers) {
    const value = argumentOf(header, args);
    if (value === undefined) continue;
    const name = `Mcp-Param-${header.name}`;
    const raw = sent(name.toLowerCase());
    if (raw === undefined) return `The header ${name} is missing, but the argument ${header.path.join('.')} is there`;
    const decoded = decodeHeaderValue(withoutBlanks(raw));
    if (decoded === undefined) return `The header ${name} is not valid Base64 of UTF-8`;
    if (!same(value, decoded)) return `The header ${name} differs from the argument ${header.path.join('.')}`;
  }
  return undefined;
}

function declaration(schema: JsonSchema, path: readonly string[] | undefined): ParameterHeader | string {
  const { [KEYWORD]: name, type } = schema;
  if (path === undefined || path.length === 0) {
    return `${KEYWORD} ${JSON.stringify(name)} does not stand on a property reached through properties alone`;
  }
  const at = `of the property ${path.join('.')}`;
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    return `${KEYWORD} ${JSON.stringify(name)} ${at} cannot be part of a header's name`;
  }
  if (!TYPES.includes(type)) return `${KEYWORD} ${name} ${at} needs the type string, integer or boolean`;
  return { name, path, type: type as ParameterHeader['type'] };
}

function addBelow(places: Place[], schema: JsonSchema, path: readonly string[] | undefined): void {
  const { properties } = schema;
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      places.push({ schema: property, path: path && path.length < MAX_DEPTH ? [...path, name] : undefined });
    }
  }
  const elsewhere = (schemas: readonly unknown[]) => {
    for (const below of schemas) places.push({ schema: below, path: undefined });
  };
  elsewhere(ONE_SCHEMA.map((keyword) => schema[keyword]));
  for (const keyword of MANY_SCHEMAS) if (Array.isArray(schema[keyword])) elsewhere(schema[keyword]);
  for (const keyword of NAMED_SCHEMAS) if (isObject(schema[keyword])) elsewhere(Object.values(schema[keyword]));
}

/** Undefined when it is absent or not of the declared type; the latter is for the check of the arguments to report. */
function argumentOf({ path, type }: ParameterHeader, args: object): string | number | boolean | undefined {
  let value: unknown = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  if (type === 'integer') return Number.isSafeInteger(value) ? (value as number) : undefined;
  return typeof value === type ? (value as string | boolean) : undefined;
}

function same(value: string | number | boolean, decoded: string): boolean {
  if (typeof value !== 'number') return String(value) === decoded;
  return /^-?\d+(?:\.\d+)?$/.test(decoded) && Number(decoded) === value;
}
