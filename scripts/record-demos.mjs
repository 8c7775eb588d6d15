// Records `hawser demo` and `hawser-lisp --demo` in a real terminal, and draws the recordings as animated pictures for the
// READMEs. `npm run pictures` runs it. Needs tmux and asciinema, and svg-term-cli, which npx fetches.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './prepare.mjs';

const MAX_PICTURE_BYTES = 400_000;
const SCREEN_TIMEOUT_MS = 20_000;

for (const tool of ['tmux', 'asciinema']) {
  if (spawnSync(tool, [tool === 'tmux' ? '-V' : '--version']).error !== undefined) {
    console.error(`record: ${tool} is not installed`);
    process.exit(1);
  }
}

/** What is typed, and what is on the screen before it; the pause lets a reader follow. */
const BRIDGE_STEPS = [
  { sees: 'hunk 1 of 3', pause: 2500, keys: ['y'] },
  { sees: 'hunk 2 of 3', pause: 1200, keys: ['y'] },
  { sees: 'hunk 3 of 3', pause: 1200, keys: ['n'] },
  { sees: 'Enter sends it', pause: 1500, keys: ['Enter'] },
  { sees: 'wrote it', pause: 2200, keys: ['2'] },
  { sees: 'README.md', pause: 1000, keys: ['/'] },
  { sees: 'Enter opens', pause: 400, keys: ['g'] },
  { sees: '/ g', pause: 200, keys: ['r'] },
  { sees: '/ gr', pause: 200, keys: ['e'] },
  { sees: '> src/greeting.ts', pause: 700, keys: ['Enter'] },
  { sees: 'agents see that it is open', pause: 900, keys: ['v'] },
  { sees: 'lines 1 to 1', pause: 300, keys: ['j'] },
  { sees: 'lines 1 to 2', pause: 300, keys: ['j'] },
  { sees: 'agents see the selection', pause: 1500, keys: ['4'] },
  { sees: 'selection_changed', pause: 2200, keys: ['3'] },
  { sees: 'demo-agent', pause: 2500, keys: ['q'] },
];

const RECORDINGS = [
  {
    name: 'bridge',
    title: 'hawser demo',
    command: 'packages/bridge/dist/main.cjs demo',
    rows: 28,
    steps: BRIDGE_STEPS,
    picture: 'demo.svg',
  },
  {
    name: 'lisp',
    title: 'hawser-lisp --demo',
    command: 'packages/lisp/dist/main.cjs --demo',
    rows: 32,
    steps: [],
    picture: 'lisp-demo.svg',
  },
];
const COLUMNS = 100;

for (const recording of RECORDINGS) {
  if (process.argv.includes(recording.name)) await record(recording);
}

/** @param {typeof RECORDINGS[number]} recording */
async function record({ command, rows, steps, picture, title }) {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-record-'));
  const recording = join(folder, 'demo.cast');
  const server = ['-u', '-f', '/dev/null', '-S', join(folder, 'tmux')];
  const env = {
    ...process.env,
    HOME: folder,
    TMPDIR: folder,
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    HAWSER_COLORS: 'truecolor',
    HAWSER_BACKGROUND: 'dark',
  };
  /** @param {string[]} args */
  const tmux = (...args) => execFileSync('tmux', [...server, ...args], { env, encoding: 'utf8' });

  /** @param {string} text */
  async function shows(text) {
    const until = Date.now() + SCREEN_TIMEOUT_MS;
    while (!tmux('capture-pane', '-p').includes(text)) {
      if (Date.now() > until) throw new Error(`Not shown: ${text}\n${tmux('capture-pane', '-p')}`);
      await delay(50);
    }
  }

  try {
    const recorder = `asciinema rec --quiet --overwrite --cols ${COLUMNS} --rows ${rows} -c "${process.execPath} ${join(root, command)}" ${recording}`;
    tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(rows), recorder);
    for (const { sees, pause, keys } of steps) {
      await shows(sees);
      await delay(pause);
      tmux('send-keys', ...keys);
    }
    // The session ends with the program.
    while (spawnSync('tmux', [...server, 'has-session'], { env }).status === 0) await delay(50);
    const [header, ...events] = readFileSync(recording, 'utf8').trimEnd().split('\n');
    // What follows the last view is the shell's screen again, which shows nothing.
    const last = events.findIndex((event) => event.includes('[?1049l'));
    writeFileSync(recording, `${[header, ...events.slice(0, last === -1 ? undefined : last)].join('\n')}\n`);
    const drawn = execFileSync('npx', ['--yes', 'svg-term-cli@2', '--window', '--no-cursor', '--no-optimize'], {
      input: readFileSync(recording),
      maxBuffer: 64 * 1024 * 1024,
    });
    // Names of temporary folders mean nothing to a reader. Spaces in a row are part of it; the optimizer drops them.
    const text = drawn
      .toString()
      .replaceAll(folder, '/tmp')
      .replace(/^<svg ([^>]*)>/, `<svg xml:space="preserve" $1><title>${title}</title>`);
    const file = join(root, 'docs', 'images', picture);
    writeFileSync(file, text);
    const { size } = statSync(file);
    console.log(`record: ${file} (${size} bytes)`);
    if (size > MAX_PICTURE_BYTES) throw new Error(`The picture has more than ${MAX_PICTURE_BYTES} bytes`);
  } finally {
    spawnSync('tmux', [...server, 'kill-server'], { env });
    rmSync(folder, { recursive: true, force: true });
  }
}
