import { isObject, objectOrEmpty } from '@hawser/unknown-values/objects';
import { decoded, pointerToken } from './pointer.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema and where it is, as validators report it: `#/properties/a/$ref/anyOf/0`. */
export interface SchemaPart {
  readonly schema: Schema;
  readonly location: string;
}

/** Schemas that a value has to match, all of them. */
export type Parts = readonly SchemaPart[];

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

export interface Member {
  readonly name: string;
  readonly parts: Parts;
  readonly isRequired: boolean;
}

export interface Variant {
  readonly label: string;
  readonly parts: Parts;
}

/** What a form shows for a schema. */
export type Shape =
  | { readonly kind: 'text'; readonly format: string | undefined }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** One of these values. */
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  /** A list of some of these values, each at most once. */
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly others: Parts | undefined }
  | { readonly kind: 'list'; readonly item: Parts }
  /** One of these shapes. `location` is that of the keyword if it is anyOf or oneOf. */
  | { readonly kind: 'variants'; readonly variants: readonly Variant[]; readonly location: string | undefined }
  /** Whatever JSON the user writes. */
  | { readonly kind: 'json' };

const MAX_PARTS = 100;
const MAX_REFS = 20;
const MAX_VARIANTS = 50;
/** Of a list of options: longer ones become a text field's work for the validator. */
const MAX_OPTIONS = 1000;

export function partsOf(schema: unknown): Parts {
  return [{ schema: isObject(schema) ? schema : {}, location: '#' }];
}

/** What a form shows for these schemas. References are looked up in `root`. */
export function shapeOf(parts: Parts, root: Schema): Shape {
  const flat = flattened(parts, root, MAX_REFS);
  if (flat === undefined) return { kind: 'json' };
  const options = optionsIn(flat);
  if (options !== undefined) return { kind: 'choice', options };
  const variants = variantsIn(flat);
  if (variants !== undefined) return variants;
  const types = typesIn(flat);
  if (types.length > 1) return byType(flat, types);
  return shapeOfType(types[0], flat, root);
}

/** The first of the parts that has this keyword, references followed. */
export function keywordIn(parts: Parts, root: Schema, keyword: string): unknown {
  const flat = flattened(parts, root, MAX_REFS) ?? parts;
  return flat.find(({ schema }) => schema[keyword] !== undefined)?.schema[keyword];
}

/** For labels: `string`, `integer[]`, `object`. */
export function typeInWords(parts: Parts, root: Schema): string {
  const shape = shapeOf(parts, root);
  switch (shape.kind) {
    case 'text':
      return shape.format ?? 'string';
    case 'number':
      return shape.isInteger ? 'integer' : 'number';
    case 'choice':
      return shape.options.length === 1 ? 'constant' : 'choice';
    case 'choices':
      return 'list of choices';
    case 'list': {
      const item = typeInWords(shape.item, root);
      return item === 'any value' ? 'list' : `list of ${item}`;
    }
    case 'variants':
      return 'one of several';
    case 'json':
      return 'any value';
    default:
      return shape.kind;
  }
}

function shapeOfType(type: string | undefined, flat: Parts, root: Schema): Shape {
  switch (type) {
    case 'string':
      return { kind: 'text', format: textIn(flat, 'format') };
    case 'number':
    case 'integer':
      return { kind: 'number', isInteger: type === 'integer' };
    case 'boolean':
    case 'null':
      return { kind: type };
    case 'array':
      return listShape(flat, root);
    case 'object':
      return objectShape(flat);
    default:
      return { kind: 'json' };
  }
}

function objectShape(flat: Parts): Shape {
  const required = new Set(flat.flatMap(({ schema }) => (Array.isArray(schema.required) ? schema.required : [])));
  const byName = new Map<string, SchemaPart[]>();
  for (const { schema, location } of flat) {
    if (!isObject(schema.properties)) continue;
    for (const [name, property] of Object.entries(schema.properties)) {
      const part = { schema: objectOrEmpty(property), location: `${location}/properties/${pointerToken(name)}` };
      byName.set(name, [...(byName.get(name) ?? []), part]);
    }
  }
  // A required one that no schema describes can be anything.
  for (const name of required) {
    if (typeof name === 'string' && !byName.has(name)) byName.set(name, [{ schema: {}, location: '' }]);
  }
  const all = [...byName].map(([name, parts]) => ({ name, parts, isRequired: required.has(name) }));
  const members = [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
  return { kind: 'object', members, others: othersIn(flat) };
}

/** What further members an object can have; undefined if it can have none, or the schema does not invite them. */
function othersIn(flat: Parts): Parts | undefined {
  const closed = flat.some(
    ({ schema }) => schema.additionalProperties === false || schema.unevaluatedProperties === false,
  );
  if (closed) return undefined;
  const open = flat.find(({ schema }) => schema.additionalProperties !== undefined);
  if (open !== undefined) {
    const { additionalProperties } = open.schema;
    return [{ schema: objectOrEmpty(additionalProperties), location: `${open.location}/additionalProperties` }];
  }
  const isDescribed = flat.some(({ schema }) => isObject(schema.properties));
  return isDescribed ? undefined : [{ schema: {}, location: '' }];
}

function listShape(flat: Parts, root: Schema): Shape {
  // A tuple has a shape per place, which is easier to write as JSON.
  if (flat.some(({ schema }) => Array.isArray(schema.prefixItems) || Array.isArray(schema.items)))
    return { kind: 'json' };
  const holder = flat.find(({ schema }) => schema.items !== undefined);
  const item: Parts = [{ schema: objectOrEmpty(holder?.schema.items), location: `${holder?.location ?? ''}/items` }];
  const inside = flattened(item, root, MAX_REFS);
  const options = inside && optionsIn(inside);
  const isSet = options !== undefined && options.length > 1;
  return isSet ? { kind: 'choices', options } : { kind: 'list', item };
}

/** The values of `enum`, `const`, or of alternatives that are one value each. */
function optionsIn(flat: Parts): readonly Option[] | undefined {
  for (const { schema } of flat) {
    if (Array.isArray(schema.enum) && schema.enum.length <= MAX_OPTIONS) return enumOptions(schema);
    if (Object.hasOwn(schema, 'const')) return [{ label: label(schema.const), value: schema.const }];
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (!Array.isArray(alternatives) || alternatives.length === 0) continue;
    if (!alternatives.every((each) => isObject(each) && Object.hasOwn(each, 'const'))) continue;
    return (alternatives as readonly Schema[]).map(({ const: value, title }) => ({
      label: typeof title === 'string' ? title : label(value),
      value,
    }));
  }
  return undefined;
}

/** Elicitation has names of values beside them. */
function enumOptions({ enum: values, enumNames: names }: Schema): readonly Option[] {
  return (values as readonly unknown[]).map((value, index) => {
    const name: unknown = Array.isArray(names) ? names[index] : undefined;
    return { label: typeof name === 'string' ? name : label(value), value };
  });
}

/** Alternatives that differ in shape. Those that only require members, or exclude them, are left to the validator. */
function variantsIn(flat: Parts): Shape | undefined {
  for (const holder of flat) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const branches = holder.schema[keyword];
      if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_VARIANTS) continue;
      if (!branches.some((branch) => isObject(branch) && hasShape(branch))) continue;
      const { [keyword]: _, ...rest } = holder.schema;
      const base = flat.map((part) => (part === holder ? { schema: rest, location: holder.location } : part));
      const location = `${holder.location}/${keyword}`;
      const variants = branches.map((branch, index) => ({
        label: labelOfVariant(objectOrEmpty(branch), index),
        parts: [...base, { schema: objectOrEmpty(branch), location: `${location}/${index}` }],
      }));
      return { kind: 'variants', variants, location };
    }
  }
  return undefined;
}

const SHAPING = ['type', 'properties', 'items', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf'];

function hasShape(schema: Schema): boolean {
  return SHAPING.some((keyword) => schema[keyword] !== undefined);
}

function labelOfVariant(schema: Schema, index: number): string {
  const { title, type, $ref, const: only, enum: values, properties } = schema;
  if (typeof title === 'string') return title;
  if (Object.hasOwn(schema, 'const')) return label(only);
  if (typeof $ref === 'string') return decoded($ref.slice($ref.lastIndexOf('/') + 1)) || `Choice ${index + 1}`;
  // A member with a fixed value tells alternatives apart.
  const fixed = isObject(properties)
    ? Object.entries(properties).find(([, each]) => isObject(each) && 'const' in each)
    : undefined;
  if (fixed !== undefined) return `${fixed[0]}: ${label(objectOrEmpty(fixed[1]).const)}`;
  if (Array.isArray(values)) return values.map(label).join(' | ').slice(0, 60);
  if (type === 'object' && isObject(properties))
    return `object with ${Object.keys(properties).join(', ')}`.slice(0, 60);
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' | ') : `Choice ${index + 1}`;
}

function byType(flat: Parts, types: readonly string[]): Shape {
  const variants = types.map((type) => ({
    label: type,
    parts: flat.map(({ schema, location }) => ({
      schema: schema.type === undefined ? schema : { ...schema, type },
      location,
    })),
  }));
  return { kind: 'variants', variants, location: undefined };
}

/** The types that the parts allow, as JSON Schema names them; guessed from other keywords if none says. */
function typesIn(flat: Parts): readonly string[] {
  const given = flat.map(({ schema }) => schema.type).find((type) => type !== undefined);
  if (typeof given === 'string') return [given];
  if (Array.isArray(given)) return given.filter((type) => typeof type === 'string');
  const has = (...keywords: string[]) =>
    flat.some(({ schema }) => keywords.some((keyword) => schema[keyword] !== undefined));
  if (has('properties', 'required', 'additionalProperties')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return ['array'];
  if (has('pattern', 'minLength', 'maxLength', 'format')) return ['string'];
  return has('minimum', 'maximum', 'multipleOf') ? ['number'] : [];
}

/** The parts without `$ref` and `allOf`; undefined if a reference leads nowhere or there are too many. */
function flattened(parts: Parts, root: Schema, refs: number): Parts | undefined {
  const flat: SchemaPart[] = [];
  for (const { schema, location } of parts) {
    const { $ref, allOf, ...own } = schema;
    const inner: SchemaPart[] = [];
    if (typeof $ref === 'string') {
      const target = refs > 0 ? lookUp($ref, root) : undefined;
      if (target === undefined) return undefined;
      inner.push({ schema: target, location: `${location}/$ref` });
    }
    if (Array.isArray(allOf)) {
      inner.push(
        ...allOf.map((each, index) => ({ schema: objectOrEmpty(each), location: `${location}/allOf/${index}` })),
      );
    }
    if (Object.keys(own).length > 0 || inner.length === 0) flat.push({ schema: own, location });
    const below = inner.length === 0 ? [] : flattened(inner, root, refs - 1);
    if (below === undefined || flat.length + below.length > MAX_PARTS) return undefined;
    flat.push(...below);
  }
  return flat;
}

/** A reference within the same document: a JSON pointer or an anchor. */
function lookUp(reference: string, root: Schema): Schema | undefined {
  if (!reference.startsWith('#')) return undefined;
  const pointer = decoded(reference.slice(1));
  if (pointer !== '' && !pointer.startsWith('/')) return anchored(pointer, root);
  let value: unknown = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Schema)[name];
  }
  return value === true || isObject(value) ? objectOrEmpty(value) : undefined;
}

function anchored(name: string, root: Schema): Schema | undefined {
  const definitions = { ...objectOrEmpty(root.definitions), ...objectOrEmpty(root.$defs) };
  return Object.values(definitions).find((each): each is Schema => isObject(each) && each.$anchor === name);
}

function textIn(flat: Parts, keyword: string): string | undefined {
  const value = flat.map(({ schema }) => schema[keyword]).find((each) => typeof each === 'string');
  return value as string | undefined;
}

const LABEL_CHARS = 200;

function label(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LABEL_CHARS ? `${text.slice(0, LABEL_CHARS)}…` : text;
}
