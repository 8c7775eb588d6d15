import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Server } from '@hawser/mcp';
import { listenStdio } from '@hawser/mcp/stdio';
import { expect, it } from 'vitest';

it('every message is one line with a line end, whatever its texts hold', async () => {
  const said = 'two\nlines\r\nand \u2028 a tab\t';
  const input = new PassThrough();
  const output = new PassThrough();
  const server = new Server({ name: 's', version: '1' }, { admitBeforeInitialized: true });
  server.tool({ name: 'say' }, () => said);
  server.connect(listenStdio({ input, output }));
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', clientInfo: { name: 'c', version: '1' } },
    },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'say' } },
    { jsonrpc: '2.0', id: 3, method: 'unknown' },
  ];
  input.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));

  const written = await text(output);
  expect(written.endsWith('\n')).toBe(true);
  const lines = written.split('\n').slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3]);
  expect(JSON.parse(lines[1] ?? '').result.content).toEqual([{ type: 'text', text: said }]);
  expect(written).not.toMatch(/\r|\n\n/);
});
