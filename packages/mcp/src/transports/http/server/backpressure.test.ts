import { describe, expect, it } from 'vitest';
import type { RawHttp, RawResponse } from '../../../../testing/raw-http.ts';
import { RawSession } from '../../../../testing/raw-session.ts';
import { type Served, serve } from '../../../../testing/serve.ts';
import type { ServeHttpOptions } from './node/serve.ts';

const TEXT = 'x'.repeat(10_000);
const COUNT = 2000;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 1,
};
const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };

/** A call in a session, and one without. */
const CALLS: readonly [string, (http: RawHttp, name: string) => Promise<RawResponse>][] = [
  ['in a session', async (http, name) => (await RawSession.open(http)).call(name, {}, { _meta: { progressToken: 1 } })],
  [
    'stateless',
    (http, name) =>
      http.post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: META } },
        { ...HEADERS, 'Mcp-Name': name },
      ),
  ],
];

async function serveSender(options: ServeHttpOptions = {}): Promise<Served & { sent: () => number }> {
  const served = await serve({ maxQueuedBytes: 1_000_000, ...options });
  let sent = 0;
  served.server.tool({ name: 'patient' }, async (_args, context) => {
    for (sent = 0; sent < COUNT; sent += 1) {
      context.progress(sent, COUNT, TEXT);
      await context.drained();
    }
    return 'all sent';
  });
  return { ...served, sent: () => sent };
}

describe('a handler that awaits drained() of its session', () => {
  it('waits for what belongs to its request', async () => {
    const { http, server } = await serve({ maxQueuedBytes: 1_000_000 });
    server.tool({ name: 'session' }, async (_args, context) => {
      for (let n = 0; n < COUNT; n += 1) {
        context.progress(n, COUNT, TEXT);
        await context.session.drained();
      }
      return 'all sent';
    });
    const session = await RawSession.open(http);
    const response = await session.call('session', {}, { _meta: { progressToken: 1 } });
    expect(await response.messages()).toHaveLength(COUNT + 1);
  });
});

describe.each(CALLS)('a handler that sends too much at once, %s', (_kind, call) => {
  it('is reported with the number of notifications that were dropped', async () => {
    const reported: string[] = [];
    const { http, server } = await serve({ maxBurstBytes: 100_000, onError: ({ message }) => reported.push(message) });
    server.tool({ name: 'impatient' }, async (_args, context) => {
      for (let n = 0; n < COUNT; n += 1) context.progress(n, COUNT, TEXT);
      await new Promise((resolve) => setImmediate(resolve));
      return 'sent';
    });
    const messages = await (await call(http, 'impatient')).messages();
    const dropped = COUNT + 1 - messages.length;
    expect(dropped).toBeGreaterThan(0);
    expect(reported).toEqual([
      `${dropped} notifications were dropped: a handler sent more than maxBurstBytes (100000) at once. Await context.drained() between them`,
    ]);
  });
});

describe.each(CALLS)('a handler that awaits drained(), %s', (_kind, call) => {
  it('is never cut off by a fast reader, however much it sends', async () => {
    const { http } = await serveSender();
    const messages = await (await call(http, 'patient')).messages();
    expect(messages).toHaveLength(COUNT + 1);
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'all sent' }] } });
  });

  it('waits for a reader that stops, and goes on when it reads again', async () => {
    const { http, sent } = await serveSender();
    const response = await call(http, 'patient');
    response.pause();
    let before = -1;
    // It has stopped when nothing more is sent while other requests are served.
    while (before !== sent()) {
      before = sent();
      for (let n = 0; n < 10; n += 1) await http.send('PUT');
    }
    expect(before).toBeLessThan(COUNT);
    response.resume();
    expect(await response.messages()).toHaveLength(COUNT + 1);
  });

  it('settles when its reader goes away', async () => {
    const { http, sent } = await serveSender();
    const response = await call(http, 'patient');
    response.pause();
    while (sent() === 0) await http.send('PUT');
    await response.break();
    while (sent() < COUNT) await http.send('PUT');
  });
});

describe.each(CALLS)('a handler that floods, %s', (_kind, call) => {
  it('has most of its notifications dropped unwritten, so that others do not wait for them', async () => {
    const { http, server } = await serveSender();
    let written = 0;
    // Called when the notification is written as JSON.
    const params = { toJSON: () => ({ written: ++written, text: 'flooding'.repeat(10) }) };
    server.tool({ name: 'flood' }, (_args, context) => {
      for (let n = 0; n < 2_000_000; n += 1) context.notify('notifications/flood', params);
      return 'flooded';
    });
    const flooding = call(http, 'flood');
    await Promise.all([flooding, http.send('PUT')]);
    expect(written).toBeGreaterThan(100);
    expect(written).toBeLessThan(100_000);
    expect((await (await RawSession.open(http)).request('ping')).status).toBe(200);
    await (await flooding).over();
  });
});
