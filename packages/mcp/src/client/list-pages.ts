import { InvalidResponse, LimitExceeded } from '../jsonrpc/errors.ts';
import { parsedBytes } from '../jsonrpc/limits.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { clip } from '../protocol/schema/problem.ts';
import { CallLimit } from './call-limit.ts';
import type { ClientLimits } from './limits.ts';
import { type ListMethod, ResponseCheck } from './response-check.ts';

type Ask = (method: string, params: Params, options: CallOptions) => Promise<unknown>;

/** Every item of a list, from all its pages. */
export async function listPages<T>(
  { method, member, items: itemsOf }: ListMethod<T>,
  ask: Ask,
  options: CallOptions,
  limits: Required<ClientLimits>,
): Promise<T[]> {
  const { maxListPages, maxListItems, maxListBytes } = limits;
  const check = new ResponseCheck(method);
  const limit = new CallLimit(method, options, performance.now());
  const items: T[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  try {
    for (let pages = 1, cursor: string | undefined; ; pages += 1) {
      const page = check.object(await ask(method, cursor === undefined ? {} : { cursor }, limit.options(options)));
      const found = itemsOf(page[member], check);
      if (items.length + found.length > maxListItems) {
        throw new LimitExceeded(`The server lists more than ${maxListItems} items for ${method} (limit maxListItems)`);
      }
      // One by one: as arguments of one call, many items overflow the stack.
      for (const item of found) items.push(item);
      if (page.nextCursor === undefined || page.nextCursor === null) return items;
      cursor = check.string(page.nextCursor, 'nextCursor');
      if (seen.has(cursor))
        throw new InvalidResponse(`The server repeats the cursor ${clip(JSON.stringify(cursor), 80)} of ${method}`);
      seen.add(cursor);
      bytes += parsedBytes(JSON.stringify(page));
      if (bytes > maxListBytes) {
        throw new LimitExceeded(`The server lists more than ${maxListBytes} bytes for ${method} (limit maxListBytes)`);
      }
      if (pages === maxListPages) {
        throw new LimitExceeded(`The server has more than ${maxListPages} pages for ${method} (limit maxListPages)`);
      }
      limit.throwIfExpired();
    }
  } finally {
    limit.release();
  }
}
