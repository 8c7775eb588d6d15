import { LoadClient } from '../load/load-client.mjs';
import { openStdioWire } from '../load/stdio-wire.mjs';
import { median } from '../statistics.mjs';
import { freshProcess, withStdioClient } from './one-sample.mjs';

// 10 million, not 10 MiB: the official SDK closes the connection on a line of more than 10 MiB.
const LARGE_LENGTH = 10_000_000;
const LINE = `${'All work and no play makes a dull benchmark, so here is a line of text to read.'.padEnd(99, '.')}\n`;
const TOOL_COUNT = 500;

export const largeEcho = {
  name: 'large-echo',
  title: '10 MB echo over stdio',
  rows: [
    {
      key: 'first',
      label: '10 MB echo over stdio',
      unit: 'ms',
      targets: { raw: { atMost: 1.25 }, 'sdk-v2': { timesFaster: 4 } },
    },
    { key: 'again', label: '10 MB echo over stdio, repeated', unit: 'ms', targets: {} },
  ],
  rounds: (settings) => settings.largeRounds,
  async prepare(contender, settings) {
    const text = LINE.repeat(LARGE_LENGTH / LINE.length);
    return freshProcess(() =>
      withStdioClient(contender.server, async (client) => {
        await client.callEcho('hello');
        const first = await echoOnce(client, text);
        return { first, again: await medianOf(settings.largeRepeats, () => echoOnce(client, text)) };
      }),
    );
  },
};

async function echoOnce(client, text) {
  // Encoded and checked off the clock: the client's part is the same for all and would only blur the ratios.
  const request = Buffer.from(`${client.serialize('tools/call', { name: 'echo', arguments: { text } })}\n`);
  const started = performance.now();
  const answer = await client.exchange((wire) => wire.sendEncoded(request));
  const ms = performance.now() - started;
  if (JSON.parse(answer).result.content[0].text !== text) throw new Error('The large text came back changed');
  return ms;
}

export const toolsList = {
  name: 'tools-list',
  title: `tools/list with ${TOOL_COUNT} tools over stdio`,
  rows: [
    {
      key: 'ms',
      label: `tools/list, ${TOOL_COUNT} tools`,
      unit: 'ms',
      targets: { 'sdk-v2': { timesFaster: 40 } },
    },
    { key: 'kilobytes', label: `tools/list, ${TOOL_COUNT} tools: size`, unit: 'kB', targets: {} },
  ],
  rounds: (settings) => settings.listRounds,
  async prepare(contender, settings) {
    const wire = openStdioWire(contender.server, { TOOLS: `${TOOL_COUNT}` });
    const client = new LoadClient(wire);
    await client.initialize();
    const listOnce = async () => {
      const request = client.serialize('tools/list', {});
      const started = performance.now();
      const answer = await client.exchange((wire) => wire.send(request));
      return { ms: performance.now() - started, answer };
    };
    const { answer } = await listOnce();
    const { tools, nextCursor } = JSON.parse(answer).result;
    if (tools.length < TOOL_COUNT || nextCursor !== undefined) {
      throw new Error(
        `${contender.name} listed ${tools.length} tools${nextCursor === undefined ? '' : ' and a cursor'}`,
      );
    }
    const sample = async () => ({
      ms: await medianOf(settings.listCalls, async () => (await listOnce()).ms),
      kilobytes: Buffer.byteLength(answer) / 1000,
    });
    await sample();
    return { sample, close: () => wire.close() };
  },
};

async function medianOf(count, measure) {
  const values = [];
  for (let turn = 0; turn < count; turn++) values.push(await measure());
  return median(values);
}
