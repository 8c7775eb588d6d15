import type { Connection } from '@hawser/mcp';
import { connectHttp } from '@hawser/mcp/http';
import type { HttpTarget } from '../target.ts';

export function openHttp({ url, headers, socketPath, authorization }: HttpTarget): Connection {
  return connectHttp(url, {
    headers,
    ...(socketPath !== undefined && { socketPath }),
    ...(authorization !== undefined && { authorization }),
  });
}
