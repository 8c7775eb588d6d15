import { expect, it } from 'vitest';
import { as, callTool, openIssuer, request, serveBearers } from '../../../testing/bearer-server.ts';
import { RawSession } from '../../../testing/raw-session.ts';

const issuer = await openIssuer();
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('a session and its streams belong to the subject: a refreshed token keeps them, another subject gets 404', async () => {
  const { http, server } = await serveBearers(issuer);
  const ada = as(await issuer.token('ada'));
  const bob = as(await issuer.token('bob'));
  const session = await RawSession.open(http, { headers: ada });
  const listen = { ...session.headers, Accept: 'text/event-stream' };
  const stream = await http.send('GET', { headers: { ...listen, ...ada } });
  const { id } = (await stream.block()) ?? {};
  const foreign = [
    await session.post(listTools, bob),
    await http.send('GET', { headers: { ...listen, ...bob } }),
    await http.send('GET', { headers: { ...listen, ...bob, 'Last-Event-ID': id } }),
    await http.send('DELETE', { headers: { ...session.headers, ...bob } }),
  ];
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  server.notifyAll('notifications/note', { n: 1 });
  expect(await stream.message()).toMatchObject({ params: { n: 1 } });
  const refreshed = as(await issuer.token('ada'));
  expect(refreshed).not.toEqual(ada);
  expect((await session.post(listTools, refreshed)).status).toBe(200);
  expect((await http.send('DELETE', { headers: { ...session.headers, ...refreshed } })).status).toBe(204);
});

it('an expired token ends no session: its next request gets 401, and one with a new token goes on', async () => {
  const { http } = await serveBearers(issuer);
  const session = await RawSession.open(http, { headers: as(await issuer.token('ada')) });
  const expired = as(await issuer.sign({ exp: Math.floor(Date.now() / 1000) - 60 }));
  expect((await session.post(listTools, expired)).status).toBe(401);
  expect((await session.post(listTools, as(await issuer.token('ada')))).status).toBe(200);
});

it('a task belongs to the subject that started it: for another one it does not exist, and has the status 404', async () => {
  const { http, server } = await serveBearers(issuer, {}, { tasks: {} });
  let finish = (_text: string) => {};
  server.tool({ name: 'work' }, (_args, context) =>
    context.task(() => new Promise<string>((resolve) => (finish = resolve))),
  );
  const ada = await issuer.token('ada');
  const bob = await issuer.token('bob');
  const { taskId } = (await (await callTool(http, ada, 'work')).json()).result;
  for (const [method, more] of Object.entries({ get: {}, cancel: {}, update: { inputResponses: {} } })) {
    const ask = async (id: string) => {
      const response = await request(http, bob, `tasks/${method}`, { taskId: id, ...more });
      return { status: response.status, body: await response.json() };
    };
    const foreign = await ask(taskId);
    expect(foreign).toMatchObject({ status: 404, body: { id: 1, error: { code: -32602 } } });
    // A client can't find out whether another one has a task.
    const unknown = await ask('unknown');
    expect(unknown.status).toBe(404);
    expect(JSON.stringify(unknown.body).replace('unknown', taskId)).toBe(JSON.stringify(foreign.body));
  }
  const refreshed = await issuer.token('ada');
  expect((await (await request(http, refreshed, 'tasks/get', { taskId })).json()).result).toMatchObject({
    status: 'working',
  });
  finish('done');
});
