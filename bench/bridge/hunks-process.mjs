import { median } from '../statistics.mjs';
import { bridgeUrl } from './build.mjs';
import { SHAPES } from './shapes.mjs';

const { hunksOf } = await import(bridgeUrl);
// From bytes, as texts come from files and sockets.
const [oldText, newText] = SHAPES[process.argv[2]]().map((lines) => Buffer.from(`${lines.join('\n')}\n`).toString());
const timed = () => {
  const began = performance.now();
  const { length } = hunksOf(oldText, newText);
  return { took: performance.now() - began, length };
};
const { took: first, length } = timed();
const later = median(Array.from({ length: 7 }, () => timed().took));
console.log(JSON.stringify({ first, later, hunks: length }));
