import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startProgram, stop } from '../load/processes.mjs';
import { median } from '../statistics.mjs';
import { openAgent } from './stage.mjs';

const program = fileURLToPath(new URL('large-diff-bridge.mjs', import.meta.url));

/** openDiff of a 10 MB file, with the agent in another process than the bridge, whose event loop is watched. */
export async function largeDiff({ quick }) {
  const child = startProgram(program, 'serve');
  child.stdout.setEncoding('utf8');
  const lines = [];
  child.stdout.on('data', (text) => {
    lines.push(...text.split('\n').filter(Boolean));
    child.emit('lines');
  });
  const line = async () => {
    while (lines.length === 0) await once(child, 'lines');
    return JSON.parse(lines.shift());
  };
  try {
    const { address, token, path, contents } = await line();
    const { socket, request } = await openAgent(address, token);
    const newText = contents.replaceAll('42', '43').repeat(10_000_000 / contents.length);
    const args = { old_file_path: path, new_file_path: path, new_file_contents: newText, tab_name: 'large' };
    /** @type {number[][]} */
    const [totals, stalls] = [[], []];
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      const began = performance.now();
      const { result } = await request(`diff ${round}`, 'tools/call', { name: 'openDiff', arguments: args });
      totals.push(performance.now() - began);
      if (result.content[1].text.length !== newText.length) throw new Error('not the text that was proposed');
      stalls.push((await line()).stall);
    }
    socket.terminate();
    return [
      { label: 'openDiff of 10 MB, accepted at once, there and back', value: median(totals), unit: 'ms' },
      { label: 'openDiff of 10 MB, longest stall of the bridge', value: median(stalls), unit: 'ms' },
    ];
  } finally {
    await stop(child);
  }
}
