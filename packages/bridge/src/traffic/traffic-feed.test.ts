import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TrafficFeed } from '@hawser/client/traffic-feed';
import { describe, expect, it, onTestFinished } from 'vitest';
import { controlledEditor } from '../../testing/controlled.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { TrafficBatch } from '../control/calls.ts';
import { Control } from '../control/control.ts';
import { listenControl } from '../control/listen.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { TrafficEntry } from './traffic.ts';

const entry = (number: number): TrafficEntry => ({
  number,
  time: 0,
  adapter: 'a',
  client: { id: 'a-1', name: 'a' },
  direction: 'sent',
  kind: 'notification',
  method: 'm',
  message: {},
  characters: 100,
});

describe('a command that watches over a socket', () => {
  it('and does not read costs a bounded amount of memory, and then learns how many messages it has lost', async () => {
    const folder = temporaryFolder();
    const editor = workspaceEditor({ folders: [folder] });
    const controlled = await controlledEditor(editor, folder);
    const { shared, traffic } = controlled;
    const control = new Control(controlled);
    const listener = await listenControl(
      { folder: join(folder, 'control'), pid: 1 },
      {
        command: (connection) => control.connect(connection),
      },
    );
    const socket = connect(listener.path);
    onTestFinished(async () => {
      socket.destroy();
      listener.close();
      await control.close();
      shared.close();
      await editor.close();
    });
    const lines = createInterface({ input: socket });
    const answered = once(lines, 'line');
    socket.write('{"jsonrpc":"2.0","id":1,"method":"traffic/watch"}\n');
    await answered;
    socket.pause();
    // About 40 MB: more than the socket and the queue take together.
    const message = {
      jsonrpc: '2.0',
      method: 'm',
      params: { texts: Array.from({ length: 5 }, () => 'x'.repeat(4000)) },
    };
    for (let sent = 0; sent < 2000; sent += 1) {
      traffic.sent('a', { id: 'a-1', name: 'a' }, message);
      if (sent % 100 === 0) await new Promise(setImmediate);
    }
    socket.resume();
    let [received, dropped] = [0, 0];
    for await (const line of lines) {
      const { params } = JSON.parse(line) as { readonly params: TrafficBatch };
      received += params.entries.length;
      dropped += params.dropped;
      if (received + dropped === 2000) break;
    }
    expect(dropped).toBeGreaterThan(1000);
    expect(received).toBeGreaterThan(50);
  });
});

describe('TrafficFeed', () => {
  it('a slow reader loses the oldest messages and learns how many', async () => {
    const batches: TrafficBatch[] = [];
    let read = () => {};
    let sent = () => {};
    const next = () =>
      new Promise<void>((resolve) => {
        sent = resolve;
      });
    const feed = new TrafficFeed<TrafficEntry>({
      send: (batch) => {
        batches.push(batch);
        sent();
      },
      drained: () =>
        new Promise((resolve) => {
          read = resolve;
        }),
      maxWaiting: 300,
    });
    const first = next();
    feed.add(entry(1));
    await first;
    for (let number = 2; number <= 10; number += 1) feed.add(entry(number));
    const second = next();
    read();
    await second;
    expect(batches.map(({ entries, dropped }) => [entries.map(({ number }) => number), dropped])).toEqual([
      [[1], 0],
      [[8, 9, 10], 6],
    ]);
    feed.close();
    feed.add(entry(11));
    read();
    await new Promise(setImmediate);
    expect(batches).toHaveLength(2);
  });
});
