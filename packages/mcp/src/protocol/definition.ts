import { type JsonSchema, type PreparedSchema, prepareSchema, type StandardSchemaV1 } from './schema/validate.ts';

/** A request of one's own: its name and, at compile time, what it takes and answers. Share it between both sides. */
export interface RequestDefinition<P = unknown, R = unknown> {
  readonly method: string;
  /** When given, what arrives is checked against it before a handler sees it. */
  readonly params: PreparedSchema | undefined;
  readonly types?: { readonly params: P; readonly result: R };
}

/** A notification of one's own. */
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
  return typeof definition === 'string' ? definition : definition.method;
}
