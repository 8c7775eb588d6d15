import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const running = new Set();
const CLOCK_TICKS_PER_SECOND = 100;
const STDERR_KEPT = 4000;

// A child must not outlive the bench, whichever way the bench ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const preload = (name) => ['--import', fileURLToPath(new URL(`../${name}`, import.meta.url))];

// Reading extra certificates takes Node some 50 ms at its start, for every contender, and would hide what they differ in.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;

/** What each program has written to stderr, for error messages. */
const errorTexts = new WeakMap();

/** Starts `node program mode`.
 * @param {string} program
 * @param {string} mode
 * @param {{ env?: Record<string, string>, nodeArguments?: string[] }} [options]
 */
export function startProgram(program, mode, { env = {}, nodeArguments = [] } = {}) {
  const child = spawn(process.execPath, [...nodeArguments, program, mode], {
    env: { ...environment, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text) => {
    errorTexts.set(child, ((errorTexts.get(child) ?? '') + text).slice(-STDERR_KEPT));
  });
  return child;
}

/**
 * Starts a contender's server for `ws` or `http`; resolves to the child and the address it printed.
 * @param {string} program
 * @param {string} mode
 * @param {Record<string, string>} [env]
 * @param {string[]} [flags]
 */
export async function startServer(program, mode, env, flags = []) {
  const nodeArguments = [...flags, '--expose-gc', ...preload('gc-on-signal.mjs'), ...preload('end-with-parent.mjs')];
  const child = startProgram(program, mode, { env: { PORT: '0', ...env }, nodeArguments });
  child.stdout.setEncoding('utf8');
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(endedEarly(program, child)));
    child.stdout.on('data', (text) => {
      printed += text;
      const address = printed.match(/(ws|http):\/\/127\.0\.0\.1:\d+\/\w*(?=\s)/);
      if (address !== null) resolve(new URL(address[0]));
    });
  });
  return { child, url };
}

/** Runs `node program mode` to its end and returns the JSON on its last line of output. */
export async function runForReport(program, mode, settings) {
  const child = startProgram(program, mode, { env: { BENCH_SETTINGS: JSON.stringify(settings) } });
  child.stdout.setEncoding('utf8');
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0 || printed === '') throw endedEarly(program, child);
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '');
}

export function endedEarly(program, child) {
  return new Error(
    `${program} ended with ${child.exitCode ?? child.signalCode}: ${(errorTexts.get(child) ?? '').trim()}`,
  );
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Stops what a measure that failed half-way has left running. */
export async function stopAll() {
  await Promise.all([...running].map(stop));
}

/** Has a server started by startServer collect its garbage. */
export async function collectGarbage(child) {
  child.kill('SIGUSR2');
  for await (const [text] of on(child.stderr, 'data', { close: ['end'] })) if (text.includes('gc done')) return;
  throw endedEarly('server', child);
}

export function residentBytes(child) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(status.match(/^VmRSS:\s+(\d+) kB$/m)?.[1]) * 1024;
}

/** Processor time of all threads so far, in seconds; the kernel counts it in hundredths. */
export function processorSeconds(child) {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may hold spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}
