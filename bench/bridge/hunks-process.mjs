import { readFileSync } from 'node:fs';
import { median } from '../statistics.mjs';
import { bridgeUrl } from './build.mjs';
import { SHAPES } from './shapes.mjs';

const { hunksOf } = await import(bridgeUrl);

/** Time that the processor gave this thread, to a few milliseconds; elsewhere than on Linux, time. */
function threadMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

// From bytes, as texts come from files and sockets.
const [oldText, newText] = SHAPES[process.argv[2]]().map((lines) => Buffer.from(`${lines.join('\n')}\n`).toString());
const timed = () => {
  const began = threadMs();
  const { length } = hunksOf(oldText, newText);
  return { took: threadMs() - began, length };
};
const { took: first, length } = timed();
const later = median(Array.from({ length: 7 }, () => timed().took));
console.log(JSON.stringify({ first, later, hunks: length }));
