import { describeValue } from '../jsonrpc/argument-checks.ts';
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

export function defineRequest<P = unknown, R = unknown>(
  method: string,
  params?: JsonSchema | StandardSchemaV1<unknown, P>,
): RequestDefinition<P, R> {
  return { method, params: params && prepareSchema(params, {}) };
}

export function defineNotification<P = unknown>(
  method: string,
  params?: JsonSchema | StandardSchemaV1<unknown, P>,
): NotificationDefinition<P> {
  return { method, params: params && prepareSchema(params, {}) };
}

export function methodOf(definition: { readonly method: string } | string): string {
  const method = typeof definition === 'string' ? definition : definition?.method;
  if (typeof method === 'string') return method;
  throw new TypeError(`A message has a method or a definition of one, got ${describeValue(definition)}`);
}
