import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../statistics.mjs';
import { root } from './neovim.mjs';
import { openServed } from './served.mjs';

// What the helper process costs, beside a Node that does nothing. NODE_EXTRA_CA_CERTS is unset in all of these: where it
// is set it adds to each start of Node.

/** From the start of Neovim until the lock file is there. */
export async function lockFile({ program }) {
  const times = [];
  for (let round = 0; round < 15; round++) times.push(await startToLock(program));
  const floor = Array.from({ length: 15 }, () => timeOf(process.execPath, ['-e', '0']));
  const own = Array.from({ length: 15 }, () => timeOf(program, ['--clean', '--headless', '-c', 'quitall!']));
  return [
    { label: 'a bare Node, start to end', value: median(floor), unit: 'ms' },
    { label: 'a bare Neovim, start to end', value: median(own), unit: 'ms' },
    { label: 'Neovim started to lock file', value: median(times), unit: 'ms', atMost: 90 },
  ];
}

/** Processor time of the helper while the cursor moves a thousand times, and what an agent receives. */
export async function cursorCost(neovim) {
  const served = await openServed(neovim, '{}');
  try {
    const path = join(served.home, 'a.txt');
    writeFileSync(path, 'a line of text\n'.repeat(1200));
    await served.nvim.request('nvim_command', [`edit ${path}`]);
    await delay(500);
    const pid = await served.lua("return require('hawser').status().pid");
    const costs = [];
    let received = 0;
    served.socket.on('message', (data) => {
      if (JSON.parse(String(data)).method === 'selection_changed') received++;
    });
    for (let round = 0; round < 5; round++) {
      await served.nvim.request('nvim_input', ['gg']);
      await delay(300);
      received = 0;
      const before = processorMs(pid);
      for (let move = 0; move < 1000; move++) {
        await served.nvim.request('nvim_input', ['j']);
        await delay(7);
      }
      await delay(500);
      costs.push(processorMs(pid) - before);
    }
    return [
      { label: 'helper, processor time per 1000 cursor moves', value: median(costs), unit: 'ms', atMost: 60 },
      { label: 'notifications to an agent in the last 1000 moves', value: received, unit: '' },
    ];
  } finally {
    await served.close();
  }
}

/** Memory of the helper with one agent connected, beside that of a Node that waits. */
export async function memory(neovim) {
  const served = await openServed(neovim, '{}');
  const env = environment(served.home);
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { env });
  const listens = "process.stdin.resume(); require('node:http').createServer().listen(0, '127.0.0.1')";
  const listening = spawn(process.execPath, ['-e', listens], { env });
  try {
    await delay(2000);
    const pid = await served.lua("return require('hawser').status().pid");
    return [
      { label: 'memory of a bare Node', value: residentMb(bare.pid), unit: 'MB' },
      { label: 'memory of a Node that listens for HTTP', value: residentMb(listening.pid), unit: 'MB' },
      { label: 'memory of the helper', value: residentMb(pid), unit: 'MB', atMost: 45 },
    ];
  } finally {
    bare.kill();
    listening.kill();
    await served.close();
  }
}

/** `nvim_ui_attach(120, 40, {})` in msgpack: with a screen attached Neovim starts as it does for a user. */
const ATTACH = Buffer.concat([
  Buffer.from([0x94, 0, 1, 0xae]),
  Buffer.from('nvim_ui_attach'),
  Buffer.from([0x93, 120, 40, 0x80]),
]);

async function startToLock(program) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const lockFolder = join(home, '.claude', 'ide');
  const began = performance.now();
  const child = spawn(program, ['--clean', '--embed', '--cmd', `set runtimepath^=${root} noswapfile`], {
    cwd: home,
    env: environment(home),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  child.stdin.write(ATTACH);
  try {
    while (performance.now() - began < 10_000) {
      if (hasLock(lockFolder)) return performance.now() - began;
      await delay(1);
    }
    throw new Error('No lock file after ten seconds');
  } finally {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function hasLock(folder) {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.lock'));
  } catch {
    return false;
  }
}

function timeOf(program, args) {
  const began = performance.now();
  execFileSync(program, args, { env: environment(tmpdir()), stdio: 'ignore' });
  return performance.now() - began;
}

function environment(home) {
  return { PATH: process.env.PATH, HOME: home, TMPDIR: home, TERM: 'xterm' };
}

/** User and system time, in steps of the kernel's clock. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / 100) * 1000;
}

function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
