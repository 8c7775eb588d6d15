import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { AuthorizationServer, secretOf } from '../../../testing/authorization-server.ts';
import { Client } from '../../client/client.ts';
import { Server } from '../../server/server.ts';
import { connectHttp } from '../../transports/http/client/connect.ts';
import { createHttpHandler, type HttpHandler } from '../../transports/http/server/node/serve.ts';
import { requireBearer } from '../resource-server/require-bearer.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { oauthClient } from './oauth-client.ts';

it('a client gets its tokens from oidc-provider, and a server with requireBearer accepts them', async () => {
  const provider = await AuthorizationServer.open();
  const { issuer } = provider;
  onTestFinished(() => provider.stop());
  let handler: HttpHandler | undefined;
  const http = createServer((request, response) => handler?.(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => http.once('listening', resolve));
  onTestFinished(() => void http.close().closeAllConnections());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const server = new Server({ name: 'real', version: '1' });
  server.tool({ name: 'who' }, (_args, { principal }) => String((principal as { id: string }).id));
  handler = createHttpHandler(server, { authorize: requireBearer({ issuer, audience: url, scopes: ['notes'] }) });

  const client = { issuer, clientId: 'ada', clientSecret: secretOf('ada') };
  const authorization = oauthClient(url, { grant: clientCredentials({ client }) });
  const session = await new Client({ name: 'c', version: '1' }).connect(connectHttp(url, { authorization }));
  onTestFinished(() => session.close());
  const { content } = await session.callTool('who');
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('ada') }]);
});
