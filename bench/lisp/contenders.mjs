import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');
const evaluators = join(root, 'packages', 'lisp', 'src', 'evaluators');
const RELAY = fileURLToPath(new URL('relay.mjs', import.meta.url));
const SERVER = join(root, 'packages', 'lisp', 'dist', 'main.cjs');
const WORKER = join(root, 'packages', 'lisp', 'dist', 'chunks', 'hawser-worker-sbcl.lisp');

export function temporaryFolder() {
  return mkdtempSync(join(tmpdir(), 'hawser-bench-'));
}

/** The SBCL engine without the server around it, with a core saved. */
export async function loadEngine(folder) {
  const outfile = join(folder, 'engine.mjs');
  const entryPoints = [join(evaluators, 'sbcl', 'engine.ts')];
  // As in the built program, the worker is beside the bundle.
  const define = { LISP_FINGERPRINT: '"bench"' };
  const conditions = ['@hawser/source'];
  await build({
    entryPoints,
    outfile,
    define,
    conditions,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  copyFileSync(WORKER, join(folder, basename(WORKER)));
  const { sbclEngine } = await import(pathToFileURL(outfile).href);
  const engine = sbclEngine({ environment: process.env, cacheFolder: join(folder, 'engine-cores') });
  await engine.warm();
  return engine;
}

/** Calls back with each text that ends like this, however many pieces it arrives in. */
function onTexts(stream, end, received) {
  let pieces = [];
  stream.setEncoding('utf8').on('data', (text) => {
    pieces.push(text);
    if (!text.endsWith(end)) return;
    const whole = pieces.join('');
    pieces = [];
    received(whole);
  });
}

/** Plain SBCL: its read-eval-print loop on a pipe. */
export async function barePipe() {
  const options = ['--noinform', '--no-sysinit', '--no-userinit'];
  const child = spawn('sbcl', options, { stdio: ['pipe', 'pipe', 'inherit'] });
  let settle;
  onTexts(child.stdout, '* ', (answer) => settle(answer));
  const prompt = () =>
    new Promise((resolve) => {
      settle = resolve;
    });
  await prompt();
  return {
    evaluate(code) {
      const answer = prompt();
      child.stdin.write(`${code}\n`);
      return answer;
    },
    close: () => child.kill('SIGKILL'),
  };
}

/** The real server over its real wire. */
export const ourServer = (folder) =>
  wireServer([process.execPath, SERVER], { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') }, 'inherit');

/** Another MCP server with a tool evaluate-lisp, started by a command line. It may log to stderr for each call. */
export const peerServer = (command) => wireServer(['/bin/sh', '-c', `exec ${command}`], process.env, 'ignore');

/** The floor of a server that is a Node process in front of a Lisp process. */
export const relayServer = () => wireServer([process.execPath, RELAY], process.env, 'inherit');

/** A server spoken with in JSON-RPC lines on stdin and stdout. */
async function wireServer([program, ...args], env, stderr) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', stderr], env });
  child.stdin.on('error', () => {}); // its exit says so
  let settle;
  onTexts(child.stdout, '\n', (line) => {
    lastLength = Buffer.byteLength(line);
    settle(JSON.parse(line));
  });
  child.once('exit', (code) =>
    settle({ error: { message: `${[program, ...args].join(' ')} ended with code ${code}` } }),
  );
  let lastId = 0;
  let lastLength = 0;
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      settle = ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error.message)));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    });
  const clientInfo = { name: 'bench', version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = (name, args) => request('tools/call', { name, arguments: args });
  const evaluate = (code) => call('evaluate-lisp', { code });
  const bytesOf = async (code) => {
    await evaluate(code);
    return lastLength;
  };
  return { call, evaluate, bytesOf, close: () => child.kill('SIGKILL') };
}

/** Milliseconds until a Node with nothing to do has come and gone. */
export async function startNode() {
  const started = performance.now();
  await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

/** Milliseconds from the start of the real server's process to its first evaluation; then it ends. */
export function startServer(folder) {
  return startToFirst([process.execPath, SERVER], { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') });
}

/** Settles when the core is there that the first server has begun to save. */
export const coreIsSaved = (folder) => fileAppears(join(folder, 'cache'), '.core');

/** The same for the peer. */
export const startPeer = (command) => startToFirst(['/bin/sh', '-c', `exec ${command}`], process.env);

async function startToFirst([program, ...args], env) {
  const started = performance.now();
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result, error } = JSON.parse(line);
      if (error !== undefined) throw new Error(error.message);
      if (id === 0) {
        send({ method: 'notifications/initialized' });
        send({ id: 1, method: 'tools/call', params: { name: 'evaluate-lisp', arguments: { code: '(+ 1 2)' } } });
      }
      if (id === 1) {
        if (!result.content[0].text.startsWith('=> 3')) throw new Error(`Not an answer: ${line}`);
        return performance.now() - started;
      }
    }
    throw new Error('The server ended without an answer');
  } finally {
    child.kill('SIGKILL');
  }
}

async function fileAppears(folder, ending) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    if (names.some((name) => name.endsWith(ending))) return;
    await delay(100);
  }
  throw new Error(`No file ${ending} appeared in ${folder}`);
}
