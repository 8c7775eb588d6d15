import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Client } from '../../client/client.ts';
import { Server } from '../../server/server.ts';
import { listenStdio } from './listen.ts';
import { serveStdio } from './serve.ts';

describe('serveStdio', () => {
  it('serves the other end of a pair of streams and returns the session', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(server, { input, output });
    const client = new Client({ name: 'c', version: '1' });
    const session = await client.connect(listenStdio({ input: output, output: input }));
    expect(await session.callTool('echo', { n: 1 })).toMatchObject({ content: [{ text: '{"n":1}' }] });
    expect([...server.sessions]).toEqual([served]);
    await session.close();
  });
});
