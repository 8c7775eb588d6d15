import { RpcError } from '../jsonrpc/errors.ts';

/** The error of a stateless request that no handler was called for. HTTP has another status for it. */
export class RefusedRequest extends RpcError {
  constructor({ code, message, data }: RpcError) {
    super(code, message, data);
  }
}
