import { median } from '../statistics.mjs';
import { TerminalProgram } from './terminal-program.mjs';

const LINES = 20_000;
/** Each changes something on the screen. */
const KEYS = [
  'j',
  ' ',
  'G',
  'g',
  'y',
  'n',
  'u',
  'u',
  ']',
  's',
  'u',
  '+',
  '-',
  'v',
  'k',
  'v',
  ' ',
  'b',
  'G',
  '[',
  ',',
  '\r',
  'g',
];

/** The view of `hawser serve`: its first frame, and its memory and keys with a diff of 20 000 lines. */
export async function terminal({ quick }) {
  const frames = [];
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    const program = await TerminalProgram.open();
    frames.push(program.firstFrameMs);
    await program.close();
  }
  const program = await TerminalProgram.open();
  try {
    const line = (index) => `  const value${index} = compute("text ${index % 97}", ${index}); // note\n`;
    const lines = Array.from({ length: LINES }, (_, index) => line(index));
    // Half of the lines are replaced, ten at a time, so that 20 000 lines are removed or added.
    const changed = lines.map((text, index) => (index % 20 < 10 ? text.replace('compute', 'calculate') : text));
    await program.propose('large.ts', lines.join(''), changed.join(''));
    const times = [];
    for (let round = 0; round < (quick ? 2 : 5); round++) for (const key of KEYS) times.push(await program.key(key));
    const [slowest] = times.toSorted((one, other) => other.took - one.took);
    return [
      {
        label: 'hawser serve in a terminal, processor time from listening to its first frame',
        value: median(frames),
        unit: 'ms',
        atMost: 400,
      },
      {
        label: 'the same, memory with a diff of 20 000 lines open',
        value: program.residentMiB,
        unit: 'MiB',
        atMost: 120,
      },
      { label: 'the same, a key answered, median', value: median(times.map(({ took }) => took)), unit: 'ms' },
      { label: 'the same, a key answered, slowest', value: slowest.took, unit: 'ms', atMost: 50 },
      {
        label: 'the same, processor time of the most expensive key',
        value: Math.max(...times.map(({ used }) => used)),
        unit: 'ms',
      },
    ];
  } finally {
    await program.close();
  }
}
