import { suggestion } from '@hawser/command-line/suggestion';
import { isObject } from '@hawser/unknown-values/objects';
import { choicesOf, propertiesOf, typeInWords, typesOf } from './describe-schema.ts';

type Schema = Readonly<Record<string, unknown>>;
export type Arguments = Readonly<Record<string, unknown>>;

/** What is wrong with the arguments of a tool, one line each. */
export class ArgumentProblem extends Error {
  override readonly name = 'ArgumentProblem';
}

/**
 * The arguments of a tool from `key=value` words, with the types of its schema. A word whose value is of another type,
 * a name that the schema does not know and a required one that is missing throw an ArgumentProblem, which names all.
 */
export function argumentsOf(words: readonly string[], given: Arguments, schema: unknown): Arguments {
  const problems: string[] = [];
  const properties = new Map(propertiesOf(schema).map((property) => [property.name, property]));
  const texts = new Map<string, string[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) problems.push(`${word}: write arguments as key=value.`);
    else {
      const name = word.slice(0, at);
      texts.set(name, [...(texts.get(name) ?? []), word.slice(at + 1)]);
    }
  }
  const entries: [string, unknown][] = [];
  for (const [name, values] of texts) {
    const property = properties.get(name);
    if (property === undefined && !takesOthers(schema)) {
      problems.push(`There is no argument ${name}.${suggestion(name, [...properties.keys()])}`);
      continue;
    }
    const value = valueFor(values, property?.schema ?? {});
    if (value instanceof Error) problems.push(`${name}: ${value.message}`);
    else entries.push([name, value.value]);
  }
  // Made from entries, because an argument may be called __proto__.
  const all = Object.fromEntries([...Object.entries(given), ...entries]);
  const missing = [...properties.values()].filter(
    ({ name, isRequired }) => isRequired && !Object.hasOwn(all, name) && !texts.has(name),
  );
  for (const { name, schema: of } of missing) problems.push(`Missing: ${name} (${typeInWords(of)})`);
  if (problems.length > 0) throw new ArgumentProblem(problems.join('\n'));
  return all;
}

/** A value from what the user typed, in the type that the schema asks for. */
export function valueFor(texts: readonly string[], schema: Schema): { readonly value: unknown } | Error {
  const [text = ''] = texts;
  const types = typesOf(schema);
  if (types.includes('array')) return listFor(texts, schema);
  if (texts.length > 1) return new Error(`given ${texts.length} times, but it is not a list`);
  const value = scalarFor(text, types);
  if (value instanceof Error) return new Error(`expected ${typeInWords(schema)}, got ${text || 'nothing'}`);
  return allowed(value.value, schema);
}

function listFor(texts: readonly string[], schema: Schema): { readonly value: unknown } | Error {
  const [text = ''] = texts;
  const whole = texts.length === 1 ? parsed(text) : undefined;
  if (Array.isArray(whole?.value)) return { value: whole.value };
  const types = typesOf(schema).filter((type) => type !== 'array');
  const single = texts.length === 1 && types.length > 0 ? scalarFor(text, types) : undefined;
  if (single !== undefined && !(single instanceof Error)) return single;
  const items: unknown[] = [];
  for (const each of texts) {
    const item = valueFor([each], (schema.items ?? {}) as Schema);
    if (item instanceof Error) return item;
    items.push(item.value);
  }
  return { value: items };
}

function scalarFor(text: string, types: readonly string[]): { readonly value: unknown } | Error {
  const json = parsed(text);
  if (types.length === 0) return json ?? { value: text };
  if (json !== undefined && types.some((type) => isOf(type, json.value) && type !== 'string')) return json;
  // Quotes around a text are part of it: the shell has taken those that are not.
  return types.includes('string') ? { value: text } : new Error('wrong type');
}

function allowed(value: unknown, schema: Schema): { readonly value: unknown } | Error {
  const values = choicesOf(schema);
  if (values === undefined || values.some((each) => Object.is(each, value))) return { value };
  const names = values.map(String);
  return new Error(`${String(value)} is not one of ${names.join(', ')}.${suggestion(String(value), names)}`);
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A schema that names no arguments, or says so, takes any. */
function takesOthers(schema: unknown): boolean {
  const { properties, additionalProperties } = (schema ?? {}) as Schema;
  if (additionalProperties !== undefined) return additionalProperties !== false;
  return properties === undefined;
}
