import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';

/** An error that tells the client what is wrong with the parameters of its request. */
export function invalidParams(method: string, problem: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params for ${method}: ${problem}`);
}

/** A name from the client as it is repeated in messages: the start of it, if it is long. */
export function quoted(name: unknown): string {
  const text = String(name);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
