import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';

/** The request names something that its principal does not have, whether or not another principal has it. */
export class NotFound extends RpcError {
  constructor(message: string) {
    super(ErrorCode.InvalidParams, message);
  }
}
