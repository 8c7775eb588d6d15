import { Server } from '@hawser/mcp';
import { describe, expect, it } from 'vitest';
import { differences, parseTranscript } from '../packages/client/src/transcript.ts';
import { type Cues, play } from './transcript-player.ts';
import { type Transport, transports } from './transcript-wires.ts';

const initialize =
  '→ {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"player","version":"0"}}}';
const faithful = `
== a handshake
# The members of the answer are in another order than on the wire.
${initialize}
← {"id":1,"result":{"serverInfo":{"version":"1","name":"s"},"capabilities":{"tools":{}},"protocolVersion":"2025-03-26"},"jsonrpc":"2.0"}
→ {"jsonrpc":"2.0","method":"notifications/initialized"}
→ {"jsonrpc":"2.0","id":2,"method":"tools/list"}
← {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
`;

async function replay(transcript: string, transport: Transport, cues?: Cues): Promise<void> {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  for (const session of parseTranscript(transcript)) {
    const wire = await transport.toServer((connection) => server.connect(connection));
    await play(session, 'client', wire, cues);
  }
}

describe.each(transports.map((transport) => [transport.name, transport] as const))('over %s', (_name, transport) => {
  it('a faithful transcript passes', async () => {
    await replay(faithful, transport);
  });

  it.each([
    ['a changed value', '"version":"1"', '"version":"2"', 'line 5: result.serverInfo.version should be "2", is "1"'],
    ['a changed type', '"id":2,"result"', '"id":"2","result"', 'line 8: id should be "2", is 2'],
    ['a member too many', '"tools":[]', '"tools":[],"nextCursor":null', 'line 8: result.nextCursor is missing'],
    ['a member too few', '"tools":[]', '', 'line 8: result.tools should not be there, is []'],
    ['an entry too many', '"tools":[]', '"tools":[{}]', 'line 8: result.tools[0] is missing, should be {}'],
  ])('%s in the transcript fails the test', async (_what, original, planted, message) => {
    expect(faithful).toContain(original);
    await expect(replay(faithful.replace(original, planted), transport)).rejects.toThrow(message);
  });

  it('a message that is not in the transcript fails the test', async () => {
    const shortened = faithful.slice(0, faithful.lastIndexOf('←'));
    const message = 'not in the transcript: {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}';
    await expect(replay(shortened, transport)).rejects.toThrow(message);
  });

  it('a connection that should end and does not fails the test', async () => {
    const transcript = `${faithful}→ {"jsonrpc":"2.0","id":3,"method":"ping"}\n× closed`;
    const message = 'line 10: {"jsonrpc":"2.0","id":3,"result":{}} instead of the end of the connection';
    await expect(replay(transcript, transport)).rejects.toThrow(message);
  });

  it('a cue that the test does not know fails the test', async () => {
    await expect(replay(`${faithful}! the moon rises`, transport)).rejects.toThrow('has no cue "the moon rises"');
  });

  it('a cue that fails fails the test', async () => {
    const moon = () => Promise.reject(new Error('it is cloudy'));
    const replayed = replay(`${faithful}! the moon rises`, transport, { 'the moon rises': moon });
    await expect(replayed).rejects.toThrow('it is cloudy');
  });
});

describe('parseTranscript', () => {
  it('refuses a line of no known kind', () => {
    expect(() => parseTranscript('== a session\n{"jsonrpc":"2.0"}')).toThrow('line 2: expected ==, #, →, ←, ! or ×');
  });

  it('refuses a message without a session', () => {
    expect(() => parseTranscript('# first\n→ {}')).toThrow('line 2: a session begins with == and a title');
  });

  it('keeps the text of a message as it is', () => {
    const [session] = parseTranscript('== a session\n→ {"jsonrpc":  not JSON');
    expect(session?.lines).toEqual([{ kind: 'message', from: 'client', text: '{"jsonrpc":  not JSON', number: 2 }]);
  });
});

describe('differences', () => {
  it.each([
    [{ a: 1, b: [true, null] }, { b: [true, null], a: 1 }, []],
    [{ a: null }, {}, ['a is missing, should be null']],
    [{}, { a: { b: 1 } }, ['a should not be there, is {"b":1}']],
    [{ a: { b: 1 } }, { a: { b: 2 } }, ['a.b should be 1, is 2']],
    [[1, 2], [1], ['[1] is missing, should be 2']],
    [{ a: [] }, { a: {} }, ['a should be [], is {}']],
    [{ a: {} }, { a: null }, ['a should be {}, is null']],
    [1, '1', ['message should be 1, is "1"']],
  ])('between %j and %j', (expected, actual, found) => {
    expect(differences(expected, actual)).toEqual(found);
  });
});
