import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeAfterwards } from '../../../../testing/serve.ts';
import { requestsWithFamiliarHeaders } from './familiar-headers.ts';

type Header = readonly [name: string, value: string];

/** What a server answers to requests with these headers that come on one connection, one JSON value each. */
async function answers(
  options: ServerOptions,
  lists: readonly (readonly Header[])[],
  answer: (request: IncomingMessage) => unknown,
): Promise<unknown[]> {
  const listener: RequestListener = (request, response) => response.end(`${JSON.stringify(answer(request))}\n`);
  const server = createServer(options, listener).listen(0, '127.0.0.1');
  closeAfterwards(async () => void server.close().closeAllConnections());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const last: Header[] = [...(lists.at(-1) ?? []), ['Connection', 'close']];
  for (const list of [...lists.slice(0, -1), last]) {
    const lines = list.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`);
  }
  const received = await text(socket);
  return received
    .split('\n')
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line));
}

const familiar = () => ({ IncomingMessage: requestsWithFamiliarHeaders() as typeof IncomingMessage });

describe('requests with familiar headers', () => {
  it('have the headers that Node gives, whatever came before', async () => {
    const name = fc.constantFrom(
      ...['Accept', 'accept', 'ACCEPT', 'Authorization', 'Cookie', 'Set-Cookie', 'Content-Type', 'Mcp-Method'],
      ...['mcp-method', 'Mcp-Session-Id', 'X-Forwarded-For', 'x-one', 'X-One', '__proto__', 'constructor', '1'],
    );
    const value = fc.constantFrom('', 'a', 'b, c', 'é', 'application/json', '__proto__');
    const list = fc.array(fc.tuple(name, value), { maxLength: 5 });
    // Few different lists, many times: each is familiar after its first.
    const lists = fc
      .array(list, { minLength: 1, maxLength: 3 })
      .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 2, maxLength: 8 }))
      .chain((some) =>
        fc.tuple(...some.map((one) => fc.tuple(...one.map(([is]) => fc.tuple(fc.constant(is), value))))),
      );
    const seen = ({ headers, rawHeaders }: IncomingMessage) => [Object.entries(headers), rawHeaders];
    await fc.assert(
      fc.asyncProperty(lists, async (sent) => {
        const [ours, nodes] = await Promise.all([answers(familiar(), sent, seen), answers({}, sent, seen)]);
        expect(ours).toHaveLength(sent.length);
        expect(ours).toEqual(nodes);
      }),
      { numRuns: 60 },
    );
  });

  it('have headers of their own, which may be changed', async () => {
    const lists = ['1', '2', '3', '4'].map((value): Header[] => [['X-One', value]]);
    const seen = await answers(familiar(), lists, (request) => {
      const before = { ...request.headers };
      request.headers['x-user'] = 'somebody';
      request.headers['x-one'] = 'changed';
      return [before['x-one'], before['x-user'] ?? null, request.headers['x-one'], request.headers['x-user']];
    });
    expect(seen).toEqual(['1', '2', '3', '4'].map((one) => [one, null, 'changed', 'somebody']));
  });

  it('have as many headers as they were sent', async () => {
    const many = Array.from({ length: 200 }, (_, index): Header => [`X-${index}`, String(index)]);
    const seen = await answers(familiar(), [many, many, many], ({ headers }) => [headers['x-0'], headers['x-199']]);
    expect(seen).toEqual([
      ['0', '199'],
      ['0', '199'],
      ['0', '199'],
    ]);
  });
});
