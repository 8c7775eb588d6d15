import { type Connection, type Message, memoryPair, Server } from '@hawser/mcp';
import { describe, expect, it } from 'vitest';
import { obstacleIn, replay } from './replay.ts';
import { parseTranscript, type Session } from './transcript.ts';

const options = { timeout: 200, ignore: [], signal: new AbortController().signal };

function session(text: string): Session {
  const [only] = parseTranscript(`== it\n${text}`);
  if (only === undefined) throw new Error('No session');
  return only;
}

/** A server that answers each message with what the function returns. */
function scripted(answers: (message: { id?: unknown; method?: string }) => object[]): Connection {
  const [near, far] = memoryPair({ copy: 'json' });
  const nothing = () => {};
  far.start({
    message: (message) => {
      for (const answer of answers(message as object)) far.send({ jsonrpc: '2.0', ...answer } as Message);
    },
    malformed: nothing,
    batch: nothing,
    refused: nothing,
    ended: nothing,
    closed: nothing,
  });
  return near;
}

describe('a replay', () => {
  it('of what a server said finds nothing', async () => {
    const server = new Server({ name: 's', version: '1' });
    const [near, far] = memoryPair({ copy: 'json' });
    server.connect(far);
    const text = '→ {"jsonrpc":"2.0","id":1,"method":"ping"}\n← {"jsonrpc":"2.0","id":1,"result":{}}';
    expect(await replay(session(text), near, options)).toEqual([]);
  });

  it('names each member that differs, by line, unless it is ignored', async () => {
    const text = '→ {"jsonrpc":"2.0","id":1,"method":"a"}\n← {"jsonrpc":"2.0","id":1,"result":{"x":1,"y":{"z":2}}}';
    const connection = () => scripted(({ id }) => [{ id, result: { x: 2, y: { z: 3 } } }]);
    expect(await replay(session(text), connection(), options)).toEqual([
      { line: 3, message: 'result.x should be 1, is 2' },
      { line: 3, message: 'result.y.z should be 2, is 3' },
    ]);
    expect(await replay(session(text), connection(), { ...options, ignore: ['result.y'] })).toEqual([
      { line: 3, message: 'result.x should be 1, is 2' },
    ]);
  });

  it('takes messages between two of the client in any order', async () => {
    const lines = [
      '→ {"jsonrpc":"2.0","id":1,"method":"a"}',
      '← {"jsonrpc":"2.0","method":"n"}',
      '← {"jsonrpc":"2.0","id":1,"result":1}',
    ];
    const connection = scripted(({ id }) => [{ id, result: 1 }, { method: 'n' }]);
    expect(await replay(session(lines.join('\n')), connection, options)).toEqual([]);
  });

  it("answers a request of the server with the server's own id", async () => {
    const lines = [
      '→ {"jsonrpc":"2.0","id":1,"method":"a"}',
      '← {"jsonrpc":"2.0","id":"old","method":"ask"}',
      '→ {"jsonrpc":"2.0","id":"old","result":{}}',
      '← {"jsonrpc":"2.0","id":1,"result":"answered"}',
    ];
    const connection = scripted(({ id, method }) => {
      if (method === 'a') return [{ id: 'new', method: 'ask' }];
      return id === 'new' ? [{ id: 1, result: 'answered' }] : [];
    });
    expect(await replay(session(lines.join('\n')), connection, options)).toEqual([]);
  });

  it('says what is missing and what is too much', async () => {
    const text = '→ {"jsonrpc":"2.0","id":1,"method":"a"}\n← {"jsonrpc":"2.0","id":1,"result":1}';
    const missing = '{"jsonrpc":"2.0","id":1,"result":1}';
    expect(
      await replay(
        session(text),
        scripted(() => []),
        options,
      ),
    ).toEqual([{ line: 3, message: `missing (timeout): ${missing}` }]);
    const more = scripted(({ id }) => [{ method: 'n' }, { id, result: 1 }]);
    expect(await replay(session(text), more, options)).toEqual([
      { line: undefined, message: 'not in the transcript: {"jsonrpc":"2.0","method":"n"}' },
    ]);
  });

  it('is refused for what only a test can do', () => {
    expect(obstacleIn(session('! the user accepts'))).toContain('line 2 waits for something outside');
    expect(obstacleIn(session('→ not JSON'))).toContain('line 2 is not a JSON object');
    expect(obstacleIn(session('→ {"jsonrpc":"2.0","id":1,"method":"a"}'))).toBeUndefined();
  });
});
