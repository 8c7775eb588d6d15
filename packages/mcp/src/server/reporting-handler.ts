import { promiseOf } from '../jsonrpc/thenable.ts';
import type { RequestHandler } from './context.ts';

/** Reports what the handler of a custom request throws. */
export function reporting(method: string, handler: RequestHandler): RequestHandler {
  return (params, context) => {
    const failed = (thrown: unknown): never => {
      context.reportFailure(thrown, `request ${method}`);
      throw thrown;
    };
    try {
      const outcome = handler(params, context);
      return promiseOf(outcome)?.then(undefined, failed) ?? outcome;
    } catch (thrown) {
      return failed(thrown);
    }
  };
}
