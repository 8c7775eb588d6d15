import type { ResourceMetadata } from '../../../authorization.ts';
import type { HttpCall } from '../http-call.ts';
import { refuse } from '../refuse.ts';

// The document is public, so that clients on every web page may read it, and Host and Origin are not checked.
const PUBLIC = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT = {
  ...PUBLIC,
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Accept, MCP-Protocol-Version',
  'Access-Control-Max-Age': '600',
};

export function sendMetadata({ document }: ResourceMetadata, call: HttpCall): void {
  if (call.method === 'GET' || call.method === 'HEAD') {
    const headers = { ...PUBLIC, 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' };
    call.send(200, headers, JSON.stringify(document));
  } else if (call.method === 'OPTIONS') call.send(204, PREFLIGHT, '');
  else refuse(call, 405, `${call.method} is not allowed here`, { headers: { Allow: 'GET, HEAD, OPTIONS' } });
}
