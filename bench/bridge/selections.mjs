import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../statistics.mjs';
import { openAgent, openBareSocket, openStage } from './stage.mjs';

const PAUSE_MS = 25;

/** From a selection in the editor to its frame at the agent, and the same for a bare socket that sends the same text. */
export async function selectionLatency({ quick }) {
  const stage = await openStage();
  const bare = await openBareSocket();
  try {
    const path = join(stage.folder, 'a.ts');
    writeFileSync(path, 'const answer = 42;\n'.repeat(1000));
    const { socket } = await openAgent(stage.address, stage.token);
    await stage.editor.openFile({ path });
    await delay(PAUSE_MS);
    /** @type {number[][]} */
    const [floors, totals] = [[], []];
    for (let round = 0; round < (quick ? 40 : 300); round++) {
      const range = { start: { line: round, character: 0 }, end: { line: round + 3, character: 5 } };
      const arrived = once(socket, 'message');
      const began = performance.now();
      await stage.editor.setSelection(path, range);
      const [frame] = await arrived;
      totals.push(performance.now() - began);
      floors.push(await bare.send(String(frame)));
      // Longer than the feed waits between two frames.
      await delay(PAUSE_MS);
    }
    socket.terminate();
    return [
      { label: 'selection to frame, a bare socket', value: median(floors), unit: 'ms' },
      {
        label: 'selection to frame, added to that by the bridge',
        value: median(totals) - median(floors),
        unit: 'ms',
        atMost: 1,
      },
    ];
  } finally {
    bare.close();
    await stage.close();
  }
}

/** Ten thousand selections as fast as the editor can make them. */
export async function selectionBurst() {
  const EVENTS = 10_000;
  const stage = await openStage();
  try {
    const path = join(stage.folder, 'a.ts');
    writeFileSync(path, 'const answer = 42;\n'.repeat(EVENTS + 10));
    const { socket } = await openAgent(stage.address, stage.token);
    await stage.editor.openFile({ path });
    await delay(PAUSE_MS);
    let frames = 0;
    let last;
    socket.on('message', (data) => {
      frames += 1;
      last = JSON.parse(String(data)).params;
    });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const began = performance.now();
    for (let line = 1; line <= EVENTS; line++) {
      const range = { start: { line, character: 0 }, end: { line, character: 5 } };
      await stage.editor.setSelection(path, range);
      // As if they came from another process, in batches.
      if (line % 100 === 0) await delay(0);
    }
    const took = performance.now() - began;
    while (last?.selection.start.line !== EVENTS) await once(socket, 'message');
    globalThis.gc?.();
    const grown = (process.memoryUsage().heapUsed - before) / 1024;
    socket.terminate();
    return [
      { label: '10 000 selections, in the editor', value: took, unit: 'ms' },
      { label: '10 000 selections, frames', value: frames, unit: 'frames', atMost: Math.ceil(took / 20) + 2 },
      ...(globalThis.gc ? [{ label: '10 000 selections, heap grown by', value: grown, unit: 'kB', atMost: 1024 }] : []),
    ];
  } finally {
    await stage.close();
  }
}
