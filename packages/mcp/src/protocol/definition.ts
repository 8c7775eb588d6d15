import { describeValue } from '../jsonrpc/argument-checks.ts';
import type { OutputOf, Schema } from './infer-schema.ts';
import { type JsonSchema, type PreparedSchema, prepareSchema, type StandardSchemaV1 } from './schema/validate.ts';

/** A custom request: its method and, at compile time, the types of its params and result. Share it between both sides. */
export interface RequestDefinition<P = unknown, R = unknown> {
  readonly method: string;
  /** When given, params are checked against it before a handler is called. */
  readonly params: PreparedSchema | undefined;
  readonly types?: { readonly params: P; readonly result: R };
}

/** A custom notification. */
export interface NotificationDefinition<P = unknown> {
  readonly method: string;
  readonly params: PreparedSchema | undefined;
  readonly types?: { readonly params: P };
}

/**
 * Defines a custom request. The schema checks its params and gives them their type; so does `P` without a schema. `R` is
 * the type of the result, which is not checked.
 */
export function defineRequest<P = unknown, R = unknown>(
  method: string,
  params?: StandardSchemaV1<unknown, P>,
): RequestDefinition<P, R>;
export function defineRequest<const S extends JsonSchema>(method: string, params: S): RequestDefinition<OutputOf<S>>;
export function defineRequest<P, R = unknown>(method: string, params: JsonSchema): RequestDefinition<P, R>;
export function defineRequest(method: string, params?: Schema): RequestDefinition {
  return { method, params: params && prepareSchema(params, {}) };
}

/** Defines a custom notification. The schema checks its params and gives them their type; so does `P` without a schema. */
export function defineNotification<P = unknown>(
  method: string,
  params?: StandardSchemaV1<unknown, P>,
): NotificationDefinition<P>;
export function defineNotification<const S extends JsonSchema>(
  method: string,
  params: S,
): NotificationDefinition<OutputOf<S>>;
export function defineNotification<P>(method: string, params: JsonSchema): NotificationDefinition<P>;
export function defineNotification(method: string, params?: Schema): NotificationDefinition {
  return { method, params: params && prepareSchema(params, {}) };
}

export function methodOf(definition: { readonly method: string } | string): string {
  const method = typeof definition === 'string' ? definition : definition?.method;
  if (typeof method === 'string') return method;
  throw new TypeError(`A message has a method or a definition of one, got ${describeValue(definition)}`);
}
