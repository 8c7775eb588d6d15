import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';

/** The error of a stateless request that no handler was called for. HTTP has another status for it. */
export class RefusedRequest extends RpcError {
  constructor({ code, message, data }: RpcError) {
    super(code, message, data);
  }
}

/** The request names something that its principal does not have, whether or not another principal has it. */
export class NotFound extends RpcError {
  constructor(message: string) {
    super(ErrorCode.InvalidParams, message);
  }
}
