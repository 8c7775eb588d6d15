import { createServer } from 'node:http';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { RESOURCE } from '../../../testing/authorization-server.ts';
import { METADATA_PATH, METADATA_URL } from '../../../testing/bearer-server.ts';
import { RawHttp } from '../../../testing/raw-http.ts';
import { initialize } from '../../../testing/raw-session.ts';
import { listenOn, serve } from '../../../testing/serve.ts';
import { Server } from '../../server/server.ts';
import { createFetchHandler } from '../../transports/http/server/fetch/handler.ts';
import { createHttpHandler } from '../../transports/http/server/node/serve.ts';
import { requireBearer } from './require-bearer.ts';

const authorize = requireBearer({
  issuer: 'https://login.example.com',
  audience: RESOURCE,
  scopes: ['notes'],
  toolScopes: { write_note: ['notes:write'] },
});
const DOCUMENT = {
  resource: RESOURCE,
  authorization_servers: ['https://login.example.com'],
  scopes_supported: ['notes', 'notes:write'],
  bearer_methods_supported: ['header'],
};
const server = () => new Server({ name: 'test', version: '1' });

describe('the metadata of the resource', () => {
  it('is served by serveHttp to everyone, web pages included', async () => {
    const { listener } = await serve({ authorize });
    const http = new RawHttp({ port: listener.port }, `${METADATA_PATH}?x=1`);
    const response = await http.send('GET', { headers: { Origin: 'https://page.example.com' } });
    expect([
      response.status,
      response.headers['content-type'],
      response.headers['access-control-allow-origin'],
    ]).toEqual([200, 'application/json', '*']);
    expect(await response.json()).toEqual(DOCUMENT);
    expect(await (await http.send('HEAD')).text()).toBe('');
    expect((await http.send('OPTIONS')).headers['access-control-allow-headers']).toContain('MCP-Protocol-Version');
    const post = await http.post(initialize());
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('is not served without requireBearer', async () => {
    const { listener } = await serve();
    expect((await new RawHttp({ port: listener.port }, METADATA_PATH).send('GET')).status).toBe(404);
  });

  it.each<[string, (app: express.Express, handler: ReturnType<typeof createHttpHandler>) => void]>([
    ['app.all', (app, handler) => app.all(['/mcp', METADATA_PATH], handler)],
    ['app.use', (app, handler) => app.use(['/mcp', METADATA_PATH], handler)],
  ])('is served by the handler in Express with %s', async (_name, mount) => {
    const handler = createHttpHandler(server(), { authorize });
    const app = express();
    mount(app, handler);
    const { port } = await listenOn(createServer(app), handler);
    expect(await (await new RawHttp({ port }, METADATA_PATH).send('GET')).json()).toEqual(DOCUMENT);
    expect((await new RawHttp({ port }).post(initialize())).status).toBe(401);
  });

  it('is served by the fetch handler in Hono', async () => {
    const handler = createFetchHandler(server(), { authorize });
    const app = new Hono().on(['GET', 'POST', 'DELETE'], ['/mcp', METADATA_PATH], ({ req }) => handler(req.raw));
    const response = await app.request(METADATA_URL);
    expect([response.status, await response.json()]).toEqual([200, DOCUMENT]);
    await handler.close();
  });

  it.each([
    ['https://mcp.example.com', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com/', '/.well-known/oauth-protected-resource'],
    ['https://example.com/tools/mcp', '/.well-known/oauth-protected-resource/tools/mcp'],
  ])('of %s is at %s', (audience, path) => {
    const { resourceMetadata } = requireBearer({ issuer: 'https://login.example.com', audience });
    expect(resourceMetadata.path).toBe(path);
    expect(resourceMetadata.document).toEqual({
      resource: audience,
      authorization_servers: ['https://login.example.com'],
      bearer_methods_supported: ['header'],
    });
  });

  it('names the resource, also when tokens call their audience something else', () => {
    const { resourceMetadata } = requireBearer({
      issuer: 'https://login.example.com',
      audience: 'api://notes',
      resource: RESOURCE,
    });
    expect(resourceMetadata).toMatchObject({ path: METADATA_PATH, document: { resource: RESOURCE } });
  });
});
