import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../statistics.mjs';
import { program } from './build.mjs';

/** What a gate may add to a call of a tool, without the time in which the user decides. */
const AT_MOST_MS = 40;

/** What the hook of a gate costs at each call of a tool, beside a bare node, in turns. A rule decides, not a user. */
export async function gateHook({ quick }) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-bench-')));
  const [folder, config] = [join(home, 'work'), join(home, '.config', 'hawser')];
  for (const each of [folder, config]) mkdirSync(each, { recursive: true });
  writeFileSync(join(config, 'rules'), 'accept **\n');
  const file_path = join(folder, 'a.txt');
  writeFileSync(file_path, 'one\ntwo\n');
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  const call = (tool_name, tool_input) =>
    JSON.stringify({ session_id: 's', cwd: folder, permission_mode: 'default', tool_name, tool_input });
  const calls = {
    'a call that changes nothing': { input: call('Read', { file_path }), answer: '' },
    'an edit that a rule accepts': {
      input: call('Edit', { file_path, old_string: 'two', new_string: 'TWO' }),
      answer: '"permissionDecision":"allow"',
    },
  };
  const bridge = spawn(process.execPath, [program, 'serve', '--headless', '--agents', 'mcp', '--noticing', 'off'], {
    cwd: folder,
    env,
  });
  /** @type {number[]} */
  const bare = [];
  /** @type {Map<string, number[]>} */
  const more = new Map(Object.keys(calls).map((name) => [name, []]));
  try {
    await once(bridge.stdout, 'data');
    for (let round = 0; round < (quick ? 6 : 26); round++) {
      const { took: floor } = await timed(['-e', '0'], '', { cwd: folder, env });
      for (const [name, { input, answer }] of Object.entries(calls)) {
        const { took, out } = await timed([program, 'gate', 'hook', 'claude-code'], input, { cwd: folder, env });
        if (answer === '' ? out !== '' : !out.includes(answer)) throw new Error(`${name}: ${out}`);
        // The first round fills the caches of the disk.
        if (round > 0) more.get(name)?.push(took - floor);
      }
      if (round > 0) bare.push(floor);
    }
  } finally {
    bridge.kill();
    await once(bridge, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
  return [
    { label: 'start of a bare node, as a hook', value: median(bare), unit: 'ms' },
    ...Object.keys(calls).map((name) => ({
      label: `the gate's hook, ${name}: more than that`,
      value: median(more.get(name)),
      unit: 'ms',
      atMost: AT_MOST_MS,
    })),
  ];
}

async function timed(args, input, options) {
  const began = performance.now();
  const child = spawn(process.execPath, args, options);
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await once(child, 'close');
  return { took: performance.now() - began, out };
}
