import { memoryPair, RequestTimeout, Server } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';
import { expect, it } from 'vitest';
import { Mailbox } from '../mailbox.ts';

async function connected() {
  const server = new Server({ name: 's', version: '1' });
  const [near, far] = memoryPair({ copy: 'json' });
  const theirs = server.connect(far);
  const session = await new Client({ name: 'c', version: '1' }, { negotiation: 'initialize' }).connect(near);
  return { server, theirs, session };
}

it('two diffs wait side by side and each gets its own decision', async () => {
  const { server, session } = await connected();
  const shown = new Mailbox<{ tab: string; decide: (text: string) => void }>();
  server.tool<{ tab: string }>({ name: 'openDiff' }, ({ tab }) => {
    return new Promise((decide) => shown.put({ tab, decide }));
  });
  const first = session.callTool('openDiff', { tab: 'first' });
  const second = session.callTool('openDiff', { tab: 'second' });
  const diffs = [await shown.take(), await shown.take()];
  for (const { tab, decide } of diffs.toReversed()) decide(`${tab} decided`);
  expect(await second).toEqual({ content: [{ type: 'text', text: 'second decided' }] });
  expect(await first).toEqual({ content: [{ type: 'text', text: 'first decided' }] });
});

it('a call that takes too long is given up by the client and aborted at the server', async () => {
  const { server, session } = await connected();
  const aborted = new Mailbox<string>();
  server.tool({ name: 'openDiff' }, (_args, { signal }) => {
    signal.addEventListener('abort', () => aborted.put(signal.reason.message));
    return new Promise(() => {});
  });
  const call = session.callTool('openDiff', {}, { timeout: 10 });
  await expect(call).rejects.toThrow(new RequestTimeout('tools/call got no response within 10 ms'));
  expect(await aborted.take()).toBe('Cancelled by the peer: tools/call got no response within 10 ms');
});

it('the server asks the client while it answers it', async () => {
  const { server, theirs, session } = await connected();
  server.tool({ name: 'pingBack' }, async () => {
    await theirs.ping();
    return 'the client is there';
  });
  expect(await session.callTool('pingBack')).toEqual({ content: [{ type: 'text', text: 'the client is there' }] });
});
