// @ts-check
// The same MCP server and client in Node, Bun, Deno and workerd. Fetches the runtimes from npm at first.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { driveHttp, driveStdio } from '../../test/runtimes/drive.mjs';
import { root } from '../prepare.mjs';
import { run } from '../steps.mjs';

const folder = join(root, 'node_modules', '.cache', 'runtimes');
const programs = join(root, 'test', 'runtimes');
const CLIENT = join(programs, 'websocket-client.mjs');
const HTTP_CLIENT = join(programs, 'run-http-client.mjs');
const DENO = ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1', '--allow-read', '--allow-env'];
/**
 * @type {Record<string, {
 *   http?: () => Promise<Started>, stdio?: string[], client?: string[], httpClient: (urls: object) => Promise<number>,
 * }>}
 */
const runtimes = {
  node: {
    stdio: [process.execPath, join(programs, 'stdio.mjs')],
    client: [process.execPath, CLIENT],
    httpClient: httpClientIn(process.execPath),
  },
  bun: {
    http: () => start([bin('bun'), join(programs, 'bun-fetch.mjs')]),
    stdio: [bin('bun'), join(programs, 'stdio.mjs')],
    client: [bin('bun'), CLIENT],
    httpClient: httpClientIn(bin('bun')),
  },
  deno: {
    http: () => start([bin('deno'), ...DENO, join(programs, 'deno-fetch.mjs')]),
    stdio: [bin('deno'), ...DENO, join(programs, 'stdio.mjs')],
    client: [bin('deno'), ...DENO, CLIENT],
    httpClient: httpClientIn(bin('deno'), ...DENO),
  },
  // It has neither stdin nor processes.
  workerd: { http: () => startWorkerd('workerd-fetch.mjs'), httpClient: httpClientInWorkerd },
};

/** @typedef {{ url: string, stop: () => Promise<void> }} Started */

const scratch = mkdtempSync(join(tmpdir(), 'hawser-runtimes-'));

/** @param {import('../test-real.mjs').Real} real */
export async function testReal(real) {
  const wanted = Object.keys(runtimes).filter((name) => name !== 'node');
  /** @type {string[]} */
  const ran = [];
  try {
    await real.install(wanted.join(', '), folder, wanted);
    await real.build();
    for (const [name, { http, stdio, client, httpClient }] of Object.entries(runtimes)) {
      const version = name === 'node' ? process.versions.node : versionOf(name);
      if (http !== undefined) await real.step(`${name} ${version}: HTTP by the fetch handler`, () => overHttp(http));
      if (stdio !== undefined) await real.step(`${name} ${version}: stdio`, () => overStdio(stdio));
      if (client !== undefined) await real.step(`${name} ${version}: client over WebSocket`, () => clientOf(client));
      await real.step(`${name} ${version}: client over HTTP`, () => clientOverHttp(httpClient));
      ran.push(`${name} ${version}`);
    }
    return 0;
  } finally {
    real.say(`\nServer and client ran in ${ran.join(', ') || 'none'}`);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {() => Promise<Started>} begin */
async function overHttp(begin) {
  const { url, stop } = await begin();
  try {
    return await exitCodeOf(driveHttp(url));
  } finally {
    await stop();
  }
}

/** @param {string[]} command */
async function overStdio([command = '', ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const code = await exitCodeOf(driveStdio(child));
  child.kill();
  return code;
}

/** @param {string[]} command */
async function clientOf([command = '', ...args]) {
  const { makeServer } = await import('../../test/runtimes/server.mjs');
  const { serveWebSocket } = await import('@hawser/mcp/websocket');
  const served = await serveWebSocket(makeServer());
  try {
    return await run(command, [...args, served.url], { cwd: root });
  } finally {
    await served.close();
  }
}

/** @param {(urls: object) => Promise<number>} drive */
async function clientOverHttp(drive) {
  const { serveForClients } = await import('../../test/runtimes/serve-for-clients.mjs');
  const served = await serveForClients();
  try {
    return await drive(served.urls);
  } finally {
    await served.close();
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function httpClientIn(command, ...args) {
  return (/** @type {object} */ urls) => run(command, [...args, HTTP_CLIENT, JSON.stringify(urls)], { cwd: root });
}

/** @param {object} urls */
async function httpClientInWorkerd(urls) {
  const { url, stop } = await startWorkerd('workerd-http-client.mjs');
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(urls) });
    if (!response.ok) console.error(await response.text());
    return response.ok ? 0 : 1;
  } finally {
    await stop();
  }
}

/** @param {Promise<void>} driving */
async function exitCodeOf(driving) {
  try {
    await driving;
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  }
}

/**
 * Starts a server that prints its address.
 * @param {string[]} command
 * @returns {Promise<Started>}
 */
async function start([command = '', ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill();
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^http:\S+$/.exec(line)?.[0] ?? listening(line);
    if (url !== undefined) return { url, stop };
  }
  throw new Error(`${command} exited with ${await exited} before it listened`);
}

/** @param {string} line of workerd, such as {"event":"listen","socket":"http","port":1234} */
function listening(line) {
  const port = /"event":"listen".*"port":(\d+)/.exec(line)?.[1];
  return port === undefined ? undefined : `http://127.0.0.1:${port}/`;
}

/**
 * workerd takes one script and a description of its sockets.
 * @param {string} program
 */
async function startWorkerd(program) {
  await build({
    entryPoints: [join(programs, program)],
    outfile: join(scratch, 'worker.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd'],
    target: 'es2022',
    logLevel: 'warning',
  });
  const config = join(scratch, 'config.capnp');
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  return start([bin('workerd'), 'serve', '--control-fd=1', config]);
}

/** @param {string} name */
function bin(name) {
  return join(folder, 'node_modules', '.bin', name);
}

/** @param {string} name */
function versionOf(name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}
