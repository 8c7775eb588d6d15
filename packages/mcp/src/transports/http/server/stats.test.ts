import { expect, it } from 'vitest';
import { RawSession } from '../../../../testing/raw-session.ts';
import { serve } from '../../../../testing/serve.ts';

it('stats() counts sessions, streams and the requests under way, and forgets what has ended', async () => {
  const { server, listener, http, calls } = await serve();
  expect(listener.stats()).toEqual({ sessions: 0, streams: 0, queuedBytes: 0, receivingBytes: 0 });
  const session = await RawSession.open(http, { capabilities: {} });
  await RawSession.open(http);
  expect(listener.stats()).toMatchObject({ sessions: 2, streams: 0 });
  const pending = session.call('held', {}, { _meta: { progressToken: 1 } });
  const { context, finish } = await calls.take();
  context.progress(1);
  const response = await pending;
  expect(listener.stats()).toMatchObject({ sessions: 2, streams: 1 });
  expect(server.stats()).toMatchObject({ sessions: 2, tasks: 0, subscriptions: 0 });
  finish();
  await response.outcome();
  await session.http.send('DELETE', { headers: session.headers });
  expect(listener.stats()).toMatchObject({ sessions: 1, streams: 0 });
  expect(server.stats().sessions).toBe(1);
});
