import { requireFunction } from '../jsonrpc/argument-checks.ts';
import { asError, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import { guard } from '../jsonrpc/report-error.ts';
import { methodOf, type NotificationDefinition } from './definition.ts';
import type { Origin } from './origin.ts';
import { describeProblems, type PreparedSchema } from './schema/validate.ts';

/** Removes what was added. Calling it again does nothing. */
export interface Registration {
  remove(): void;
}

/** `origin` is what the transport knows about the sender. */
export type Handler<Context> = (params: Params | undefined, context: Context, origin?: Origin) => unknown;

/** The handlers of notifications, by method. */
export class NotificationHandlers<Context> {
  readonly #handlers = new Map<string, Set<Handler<Context>>>();
  readonly #changed: () => void;

  /** `changed` is called after each change of the handlers. */
  constructor(changed = () => {}) {
    this.#changed = changed;
  }

  add(notification: NotificationDefinition | string, handler: Handler<Context>): Registration {
    const method = methodOf(notification);
    requireFunction('onNotification', `the handler of ${method}`, handler);
    const checked = checking(notification, handler);
    const handlers = this.#handlers.get(method) ?? new Set();
    this.#handlers.set(method, handlers.add(checked));
    this.#changed();
    return {
      remove: () => {
        handlers.delete(checked);
        this.#changed();
      },
    };
  }

  has(method: string): boolean {
    return (this.#handlers.get(method)?.size ?? 0) > 0;
  }

  /** Calls every handler, also after one of them failed. */
  dispatch({ method, params }: Notification, context: Context, failed: (error: Error) => void, origin?: Origin): void {
    const handlers = this.#handlers.get(method);
    if (handlers === undefined) return;
    for (const handler of handlers) {
      guard(
        () => handler(params, context, origin),
        (thrown) => failed(asError(thrown)),
      );
    }
  }
}

/** Checks params against the definition's schema, if it has one, before the handler is called. */
export function checking<Context>(
  definition: { readonly method: string; readonly params: PreparedSchema | undefined } | string,
  handler: Handler<Context>,
): Handler<Context> {
  if (typeof definition === 'string' || definition.params === undefined) return handler;
  const { method, params: schema } = definition;
  return async (params, context, origin) => {
    const checked = await schema.check(params ?? {});
    if (checked.ok) return handler(checked.value as Params, context, origin);
    const what = describeProblems(checked.problems, 'params');
    throw new RpcError(ErrorCode.InvalidParams, `Invalid params for ${method}: ${what}`);
  };
}
