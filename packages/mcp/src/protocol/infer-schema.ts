import type { JsonSchema, StandardSchemaV1 } from './schema/validate.ts';

/** A JSON Schema, or a schema of a library that follows Standard Schema. */
export type Schema = JsonSchema | StandardSchemaV1;

/** The type of a value after it was checked; a Standard Schema may have transformed it. */
export type OutputOf<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : ObjectOrUnknown<FromJsonSchema<S>>;

/** The type of a value that the schema accepts. */
export type InputOf<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : ObjectOrUnknown<FromJsonSchema<S>>;

/**
 * The type that a JSON Schema describes, as far as TypeScript knows the schema's literal values. Unknown keywords are
 * ignored, and a schema whose literals are not known gives `unknown`.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Member)[] }
      ? FromJsonSchema<Member>
      : S extends { readonly oneOf: readonly (infer Member)[] }
        ? FromJsonSchema<Member>
        : S extends { readonly type: readonly (infer Type)[] }
          ? OfType<S, Type>
          : S extends { readonly type: infer Type }
            ? OfType<S, Type>
            : unknown;

/** Distributes over a union of types. */
type OfType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ArrayOf<S>
          : Type extends 'object'
            ? ObjectOf<S>
            : unknown;

type ArrayOf<S> = S extends { readonly items: infer Items } ? FromJsonSchema<Items>[] : unknown[];

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { [Name in keyof Properties as Name extends RequiredOf<S> ? Name : never]: FromJsonSchema<Properties[Name]> } & {
        [Name in keyof Properties as Name extends RequiredOf<S> ? never : Name]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? { [name: string]: FromJsonSchema<Value> }
    : { [name: string]: unknown };

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<T> = { -readonly [Name in keyof T]: T[Name] };

type ObjectOrUnknown<T> = unknown extends T ? { [name: string]: unknown } : T;
