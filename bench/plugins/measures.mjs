import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { stayAwake } from '../load/stay-awake.mjs';
import { median } from '../statistics.mjs';
import { openPlugin } from './plugin.mjs';

const LINES = 65_536;
const ROUNDS = 9;
/** 4 MiB, of which every 200th line is changed. */
const textOf = (changed) =>
  Array.from({ length: LINES }, (_, line) =>
    `${line % 200 === 100 ? changed : 'some'} words in line ${line}`.padEnd(63).concat('\n'),
  ).join('');
const HUNKS = Array.from({ length: LINES }, (_, line) => line)
  .filter((line) => line % 200 === 100)
  .map((line) => [line, 1, line, 1]);

/** Prints what a plugin costs in its editor. */
export async function measurePlugin(name, command) {
  stayAwake();
  const editor = await openPlugin(command);
  try {
    const print = (label, value, unit) =>
      process.stdout.write(`| ${name} | ${label} | ${value.toFixed(2)} ${unit} |\n`);
    process.stdout.write('| editor | measure | figure |\n|---|---|---|\n');
    for (const [label, value] of Object.entries(await proposals(editor))) print(label, value, 'ms');
    for (const [label, value] of Object.entries(await cursor(editor))) print(`${label}, processor time`, value, 'µs');
  } finally {
    await editor.close();
  }
}

/** The longest time in which the editor does nothing else while a large proposal arrives, and what it takes to show it. */
async function proposals(editor) {
  const paths = { path: 'large.txt', oldTextFile: 'old', newTextFile: 'new' };
  for (const [member, file] of Object.entries(paths)) paths[member] = join(editor.home, file);
  writeFileSync(paths.path, textOf('some'));
  writeFileSync(paths.oldTextFile, textOf('some'));
  writeFileSync(paths.newTextFile, textOf('other'));
  const longest = async () => (await editor.request('bench/longest', {})).ms;
  /** @type {number[][]} */
  const [idle, busy, shown] = [[], [], []];
  let processorMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await longest();
    await delay(300);
    idle.push(await longest());
    const before = editor.processorMs();
    await editor.request('proposal/show', {
      ...{ id: `p${round}`, revision: 0, uri: pathToFileURL(paths.path).href, title: 'large', agent: 'bench', turn: 0 },
      ...{ effect: 'edit', base: 'original', isNewFile: false, noteDelivery: 'words', lineEnd: '\n', hasBom: false },
      ...{ oldTextFile: paths.oldTextFile, newTextFile: paths.newTextFile, hunks: HUNKS },
    });
    processorMs += editor.processorMs() - before;
    await delay(200);
    busy.push(await longest());
    shown.push((await editor.request('bench/show', {})).ms);
    editor.notify('proposal/close', { id: `p${round}`, outcome: { kind: 'rejected', by: 'bench' } });
    await delay(200);
  }
  return {
    'longest standstill in 300 idle ms': median(idle),
    'longest standstill while a proposal of 4 MiB arrives': median(busy),
    'the same, smallest': Math.min(...busy),
    'the same, processor time': processorMs / ROUNDS,
    'showing it, with 328 changes': median(shown),
    'showing it, smallest': Math.min(...shown),
  };
}

/** Processor time of the editor for each move of the cursor, beyond the move itself, in microseconds. */
async function cursor(editor) {
  const uri = pathToFileURL(join(editor.home, 'large.txt')).href;
  await editor.request('window/showDocument', { uri, takeFocus: true });
  const cost = async (line, what) => {
    const before = editor.processorMs();
    for (let round = 0; round < ROUNDS; round++) await editor.request('bench/cursor', { line, what });
    // A thousand moves each time.
    return (editor.processorMs() - before) / ROUNDS;
  };
  const nothing = await cost(1, 'nothing');
  const last = await cost(65_000, 'nothing');
  return {
    'a cursor event': (await cost(1, 'event')) - nothing,
    'the pause after it: documents and selection, computed and sent, in line 1': (await cost(1, 'pause')) - nothing,
    'the same in line 65 000': (await cost(65_000, 'pause')) - last,
  };
}
