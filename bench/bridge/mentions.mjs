import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { median } from '../statistics.mjs';
import { addressOf, openStage } from './stage.mjs';

const receiver = fileURLToPath(new URL('receiver.mjs', import.meta.url));

/** From a mention in the editor to its frame at an agent, beside a bare WebSocket server that sends the same text. */
export async function mentions({ quick }) {
  const stage = await openStage();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const receivers = [];
  const open = async (...args) => {
    const child = fork(receiver, args);
    receivers.push(child);
    await once(child, 'message');
    return child;
  };
  try {
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const bare = await open(addressOf(server));
    const [socket] = await accepted;
    const agent = await open(stage.address, stage.token);
    const path = join(stage.folder, 'a.ts');
    writeFileSync(path, 'const answer = 42;\n'.repeat(100));
    /** @type {number[][]} */
    const [floors, ratios] = [[], []];
    for (let round = 0; round < (quick ? 200 : 2000); round++) {
      const [first, last] = [round % 90, (round % 90) + 5];
      const params = { filePath: path, lineStart: first, lineEnd: last };
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'at_mentioned', params });
      const floor = await arrival(bare, () => socket.send(text));
      const took = await arrival(agent, () => stage.editor.mention(path, { first, last }));
      // The first rounds run before anything is compiled.
      if (round < 50) continue;
      floors.push(floor);
      ratios.push(took / floor);
    }
    return [
      { label: 'one mention to one agent, from a bare WebSocket server', value: median(floors), unit: 'ms' },
      { label: 'one mention to one agent, to that', value: median(ratios), unit: '×', atMost: 2 },
    ];
  } finally {
    for (const child of receivers) child.disconnect();
    server.close();
    await stage.close();
  }
}

/** Milliseconds until the receiver has got what `send` sends. */
async function arrival(child, send) {
  const arrived = once(child, 'message');
  const began = process.hrtime.bigint();
  send();
  const [at] = await arrived;
  return Number(BigInt(at) - began) / 1e6;
}
