import { describe, expect, it } from 'vitest';
import { connect, SESSION, VERSIONS } from '../../testing/client-session.ts';
import { Client } from './client.ts';

describe('timeouts', () => {
  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 31, '5' as never])(
    'of %s ms are refused everywhere',
    async (timeout) => {
      const { session } = await connect(SESSION, () => undefined);
      for (const option of ['timeout', 'maxTimeout']) {
        await expect(session.ping({ [option]: timeout })).rejects.toThrow(
          `${option} must be a number of milliseconds from 0 (no limit) to 2147483647, got ${timeout}`,
        );
        await expect(session.listTools({ [option]: timeout })).rejects.toThrow(RangeError);
      }
      expect(() => new Client({ name: 'c', version: '1' }, { timeout })).toThrow(RangeError);
      expect(() => new Client({ name: 'c', version: '1' }, { probeTimeout: timeout })).toThrow(RangeError);
      expect(() => new Client({ name: 'c', version: '1' }, { limits: { drainTimeout: timeout } })).toThrow(RangeError);
    },
  );

  it.each(VERSIONS)('of 0 mean never, for one call as for all (%s)', async (version) => {
    const { session, theirs, received } = await connect(version, () => undefined, { timeout: 0 });
    const calls = [{ timeout: 0 }, { maxTimeout: 0 }, {}].map((options) => session.callTool('t', {}, options));
    const asked = () => received.messages.filter(({ method }) => method === 'tools/call');
    await received.until(() => asked().length === 3);
    // Longer than the grain of the deadlines: nothing tells that one was not reached.
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const { id } of asked()) theirs.send({ jsonrpc: '2.0', id: id as number, result: { content: [] } });
    expect(await Promise.all(calls)).toEqual([{ content: [] }, { content: [] }, { content: [] }]);
  });
});
