import { afterAll } from 'vitest';
import { reportOnStderr } from '../src/jsonrpc/report-error.ts';
import { type RequireBearerOptions, requireBearer } from '../src/oauth/resource-server/require-bearer.ts';
import type { ServerOptions } from '../src/server/server-options.ts';
import { AuthorizationServer, RESOURCE } from './authorization-server.ts';
import type { RawHttp, RawResponse } from './raw-http.ts';
import { TASKS, VERSION } from './raw-wire.ts';
import { type Served, serve } from './serve.ts';

export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
export const METADATA_URL = `https://mcp.example.com${METADATA_PATH}`;

export const as = (token: string) => ({ Authorization: `Bearer ${token}` });

const opened: AuthorizationServer[] = [];
afterAll(async () => {
  for (const server of opened.splice(0)) await server.stop();
});

/** An authorization server for all tests of a file. */
export async function openIssuer(format: 'jwt' | 'opaque' = 'jwt'): Promise<AuthorizationServer> {
  const issuer = await AuthorizationServer.open(format);
  opened.push(issuer);
  return issuer;
}

export interface BearerServed extends Served {
  /** What `onError` got. */
  readonly errors: Error[];
}

/** Serves MCP to those with a token of the issuer that has the scope `notes`. */
export async function serveBearers(
  issuer: AuthorizationServer,
  options: Partial<RequireBearerOptions> = {},
  serverOptions: ServerOptions = {},
): Promise<BearerServed> {
  const errors: Error[] = [];
  const authorize = requireBearer({ issuer: issuer.issuer, audience: RESOURCE, scopes: ['notes'], ...options });
  const served = await serve({ authorize, onError: (error) => errors.push(error) }, serverOptions);
  served.server.tool({ name: 'who' }, (_args, { principal }) => JSON.stringify(principal));
  return { ...served, errors };
}

/** Sends one request without a session. */
export function request(http: RawHttp, token: string, method: string, params: object = {}): Promise<RawResponse> {
  const { name, uri, taskId } = params as { name?: string; uri?: string; taskId?: string };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': TASKS,
  };
  const headers = {
    'MCP-Protocol-Version': VERSION,
    'Mcp-Method': method,
    'Mcp-Name': name ?? uri ?? taskId,
    ...as(token),
  };
  return http.post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers);
}

export const callTool = (http: RawHttp, token: string, name: string) =>
  request(http, token, 'tools/call', { name, arguments: {} });

/** Everything that the default of `onError` would write. */
export function logOf(errors: readonly Error[]): string {
  const written: string[] = [];
  const { error: original } = console;
  console.error = (text: string) => written.push(text);
  try {
    for (const error of errors) reportOnStderr(error);
  } finally {
    console.error = original;
  }
  return written.join('\n');
}
