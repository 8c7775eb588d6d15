/**
 * The shape of a value on the wire: reads what a peer sent, and says as JSON Schema what it may send. Reading follows the
 * rules of the protocol: an absent member and `null` are the same, `{}`, `[]` and `null` are the same where a list or an
 * object is expected, and members that are not known are left out.
 */
export interface Schema<T> {
  /** Of a definition that others refer to. */
  readonly name?: string;
  readonly description?: string;
  /** Throws an `InvalidValue` that names the place. */
  read(value: unknown, at: string): T;
  /** `refer` gives the JSON Schema of a schema within this one, or a reference to it. */
  toJson(refer: (schema: Schema<unknown>) => Json): Json;
}

/** A member that may be absent. */
export interface OptionalMember<T> extends Schema<T | undefined> {
  readonly isOptional: true;
}

export type Json = { readonly [name: string]: unknown };
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

type Members = Readonly<Record<string, Schema<unknown>>>;
type OptionalNames<M> = { [K in keyof M]: M[K] extends OptionalMember<unknown> ? K : never }[keyof M];
type ObjectOf<M> = Simplify<
  { readonly [K in Exclude<keyof M, OptionalNames<M>>]: TypeOf<M[K]> } & {
    readonly [K in OptionalNames<M>]?: Exclude<TypeOf<M[K]>, undefined>;
  }
>;
type Simplify<T> = { [K in keyof T]: T[K] };

/** A value that does not have the shape that the protocol gives it. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

export function text(description?: string): Schema<string> {
  return scalar('string', (value) => typeof value === 'string', description);
}

export function flag(description?: string): Schema<boolean> {
  return scalar('boolean', (value) => typeof value === 'boolean', description);
}

/** A whole number from 0. */
export function count(description?: string): Schema<number> {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  return scalar('integer', isCount, description, { minimum: 0 });
}

export function oneOf<const Word extends string>(words: readonly Word[], description?: string): Schema<Word> {
  return {
    ...(description !== undefined && { description }),
    read: (value, at) => {
      const word = words.find((each) => each === value);
      if (word === undefined) throw invalid(at, `one of ${words.join(', ')}`, value);
      return word;
    },
    toJson: () => ({ enum: words }),
  };
}

/** A shape that another specification defines; it is passed on as it is. */
export function foreign(description: string): Schema<unknown> {
  return { description, read: (value) => value, toJson: () => ({}) };
}

export function optional<T>(schema: Schema<T>): OptionalMember<T> {
  const { name, description } = schema;
  return {
    isOptional: true,
    ...(name === undefined && description !== undefined && { description }),
    read: (value, at) => (isNothing(value) ? undefined : schema.read(value, at)),
    toJson: (refer) => ({ anyOf: [refer(schema), { type: 'null' }] }),
  };
}

export function list<T>(item: Schema<T>, description?: string): Schema<readonly T[]> {
  return {
    ...(description !== undefined && { description }),
    read: (value, at) => {
      if (isEmpty(value)) return [];
      if (!Array.isArray(value)) throw invalid(at, 'a list', value);
      return value.map((each, index) => item.read(each, `${at}[${index}]`));
    },
    toJson: (refer) => ({ type: 'array', items: refer(item) }),
  };
}

export function object<const M extends Members>(members: M, description?: string): Schema<ObjectOf<M>> {
  const entries = Object.entries(members);
  return {
    ...(description !== undefined && { description }),
    read: (value, at) => {
      const given = isEmpty(value) ? {} : value;
      if (!isObject(given)) throw invalid(at, 'an object', value);
      const read: Record<string, unknown> = {};
      for (const [name, schema] of entries) {
        const member = schema.read(Object.hasOwn(given, name) ? given[name] : undefined, `${at}.${name}`);
        if (member !== undefined) read[name] = member;
      }
      return read as ObjectOf<M>; // each member was read by its schema
    },
    toJson: (refer) => ({
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, withDescription(schema, refer(schema))])),
      required: entries.filter(([, schema]) => !('isOptional' in schema)).map(([name]) => name),
    }),
  };
}

/** Objects that are told apart by their member `kind`. */
export function byKind<const V extends Readonly<Record<string, Schema<object>>>>(
  variants: V,
  description?: string,
): Schema<{ [K in keyof V]: Simplify<{ readonly kind: K } & TypeOf<V[K]>> }[keyof V]> {
  const kinds = Object.keys(variants);
  return {
    ...(description !== undefined && { description }),
    read: (value, at) => {
      const kind = isObject(value) ? value.kind : undefined;
      const schema = typeof kind === 'string' && Object.hasOwn(variants, kind) ? variants[kind] : undefined;
      if (schema === undefined) throw invalid(`${at}.kind`, `one of ${kinds.join(', ')}`, kind);
      return { kind, ...schema.read(value, at) } as never; // a variant with its kind
    },
    toJson: (refer) => ({
      oneOf: Object.entries(variants).map(([kind, schema]) => {
        const { properties, required } = refer(schema) as { properties: object; required: readonly string[] };
        return {
          type: 'object',
          properties: { kind: { const: kind }, ...properties },
          required: ['kind', ...required],
        };
      }),
    }),
  };
}

export function named<T>(name: string, description: string, schema: Schema<T>): Schema<T> {
  return { ...schema, name, description };
}

/** Nothing is expected, and whatever comes is ignored. */
export const nothing: Schema<undefined> = {
  read: () => undefined,
  toJson: () => ({ type: ['null', 'object', 'array'] }),
};

function scalar<T>(type: string, is: (value: unknown) => boolean, description?: string, more: Json = {}): Schema<T> {
  return {
    ...(description !== undefined && { description }),
    read: (value, at) => {
      if (!is(value)) throw invalid(at, type === 'integer' ? 'a whole number from 0' : `a ${type}`, value);
      return value as T; // checked
    },
    toJson: () => ({ type, ...more }),
  };
}

function withDescription({ description }: Schema<unknown>, json: Json): Json {
  return description === undefined || '$ref' in json ? json : { description, ...json };
}

function invalid(at: string, wanted: string, value: unknown): InvalidValue {
  if (isNothing(value)) return new InvalidValue(`${at} is missing: ${wanted}`);
  const found = (JSON.stringify(value) ?? typeof value).slice(0, 60);
  return new InvalidValue(`${at} is ${wanted}, not ${found}`);
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  if (isNothing(value)) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
