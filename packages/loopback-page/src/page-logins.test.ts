import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PageHost, servePage } from './page-host.ts';
import { LINK_LASTS_MS, PageLogins } from './page-logins.ts';

const HOUR_MS = 3_600_000;
let now = 0;
let logins: PageLogins;
let host: PageHost;
beforeEach(async () => {
  now = 1_000_000;
  logins = new PageLogins({ name: 'a-page', encryption: 'none', now: () => now });
  const [files, accept, onError] = [new Map(), () => {}, () => {}];
  host = await servePage({
    name: 'a-page',
    channelPath: '/channel',
    files,
    admission: logins,
    port: 0,
    accept,
    onError,
  });
});
afterEach(() => host.close());

function logIn(secret: string): Promise<Response> {
  const { origin } = new URL(host.url);
  return fetch(`${origin}/login`, { method: 'POST', body: secret, headers: { Origin: origin } });
}

/** The headers by which a browser connects after it has logged in. */
async function headersOf(response: Response) {
  const [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  const protocols = `a-page, page.${await response.text()}`;
  return { host: new URL(host.url).host, cookie, 'sec-websocket-protocol': protocols };
}

it('a link works until ten minutes have passed', async () => {
  const [soon, late] = [logins.newLink(HOUR_MS), logins.newLink(HOUR_MS)];
  now += LINK_LASTS_MS - 1;
  expect((await logIn(soon)).status).toBe(200);
  now += 1;
  expect((await logIn(late)).status).toBe(401);
});

it('a login ends after its time, and who listens learns it', async () => {
  const ended: string[] = [];
  logins.onEnd((id) => ended.push(id));
  const headers = await headersOf(await logIn(logins.newLink(HOUR_MS)));
  const id = logins.admit(headers);
  expect(logins.list()).toMatchObject([{ id }]);
  now += HOUR_MS;
  expect(logins.admit(headers)).toBeUndefined();
  expect(ended).toEqual([id]);
});

it('the cookie alone, or what the page knows alone, is not enough', async () => {
  const headers = await headersOf(await logIn(logins.newLink(HOUR_MS)));
  expect(logins.admit({ ...headers, cookie: '' })).toBeUndefined();
  expect(logins.admit({ ...headers, 'sec-websocket-protocol': 'a-page' })).toBeUndefined();
  expect(logins.admit(headers)).toBeDefined();
});

it('the cookie is for no script and no other site, and with encryption for no plain connection', async () => {
  const { headers } = await logIn(logins.newLink(HOUR_MS));
  expect(headers.get('set-cookie')).toMatch(/^a-page-\d+=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=3600$/);
});
