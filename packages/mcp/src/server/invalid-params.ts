import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';

/** What is wrong with the parameters of a request, in words for the client. */
export function invalidParams(method: string, what: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params for ${method}: ${what}`);
}
