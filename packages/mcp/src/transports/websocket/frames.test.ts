import { on } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { textFrames } from './frames.ts';
import { listenWebSocket } from './listen.ts';

describe('textFrames', () => {
  it('are read by a WebSocket client as the texts they were made of, whatever their lengths and characters', async () => {
    const sent: string[] = [];
    const listener = await listenWebSocket({ accept: (_connection, { socket }) => socket.write(textFrames(sent)) });
    const edges = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].flatMap((length) => [
      'x'.repeat(length),
      'é'.repeat(length / 2),
      '😀'.repeat(length / 4),
    ]);
    sent.push(...edges, ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 300 }), 200));
    const socket = new WebSocket(listener.url, ['mcp']);
    const arrived: string[] = [];
    for await (const [data] of on(socket, 'message')) {
      arrived.push(String(data));
      if (arrived.length === sent.length) break;
    }
    expect(arrived).toEqual(sent);
    socket.terminate();
    await listener.close();
  });
});
