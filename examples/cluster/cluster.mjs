// Starts Redis, the processes of the server and the proxy, and ends them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { haproxyConfiguration } from './haproxy.mjs';
import { Program } from './program.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

/**
 * @typedef {object} ClusterOptions
 * @property {number} [processes] default 2
 * @property {number} [port] of the proxy; default any free one
 * @property {number} [statusPort] of the proxy's status page; default any free one
 * @property {string} [redisUrl] a Redis that runs already; default: one of its own
 * @property {string} [program] the server's; default server.mjs
 * @property {{ readonly [name: string]: string }} [env] for the processes of the server
 * @property {(name: string, text: string) => void} [onOutput] gets what the programs write
 * @property {(name: string) => void} [onUnexpectedEnd]
 */

export class Cluster {
  #folder = mkdtempSync(join(tmpdir(), 'hawser-cluster-'));
  #options;
  #redisPort = 0;
  #ports = { port: 0, statusPort: 0 };
  /** Undefined if it was running already. */
  redis;
  /** @type {Program[]} */
  servers = [];
  /** @type {number[]} */
  serverPorts = [];
  proxy;

  /** @param {ClusterOptions} options */
  constructor(options = {}) {
    this.#options = options;
    if (options.redisUrl === undefined) this.redis = this.#makeRedis();
    this.proxy = this.#makeProxy();
  }

  /** Settles when clients can connect. Call `close` also if it rejects. */
  async start() {
    const { processes = 2, port = 0, statusPort = 0 } = this.#options;
    this.#redisPort = await freePort(0, '');
    await this.redis?.start();
    for (let index = 0; index < processes; index += 1) {
      this.serverPorts.push(0);
      this.servers.push(this.#makeServer(index));
    }
    await Promise.all(this.servers.map((server) => server.start()));
    this.#ports = { port: await freePort(port, '--port'), statusPort: await freePort(statusPort, '--status-port') };
    const servers = this.serverPorts;
    writeFileSync(join(this.#folder, 'haproxy.cfg'), haproxyConfiguration({ ...this.#ports, servers }));
    await this.proxy.start();
  }

  /** What clients connect to. */
  get url() {
    return `http://127.0.0.1:${this.#ports.port}/mcp`;
  }

  get statusUrl() {
    return `http://127.0.0.1:${this.#ports.statusPort}`;
  }

  get redisUrl() {
    return this.#options.redisUrl ?? `redis://127.0.0.1:${this.#redisPort}`;
  }

  get programs() {
    return [this.proxy, ...this.servers, ...(this.redis === undefined ? [] : [this.redis])];
  }

  /** Deletes what Redis has saved. Call it while Redis is stopped. */
  deleteData() {
    rmSync(join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
    rmSync(join(this.#folder, 'dump.rdb'), { force: true });
  }

  async close() {
    await this.proxy.stop('SIGINT');
    // A process that is suspended would not end.
    for (const server of this.servers) server.signal('SIGCONT');
    await Promise.all(this.servers.map((server) => server.stop('SIGINT')));
    await this.redis?.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #makeRedis() {
    const settings = { bind: '127.0.0.1', dir: this.#folder, appendonly: 'yes', save: '' };
    const args = () =>
      Object.entries({ ...settings, port: String(this.#redisPort) }).flatMap(([name, value]) => [`--${name}`, value]);
    const isReady = (output) => output.includes('Ready to accept connections');
    return new Program({ command: 'redis-server', args, isReady, ...this.#observed('redis') });
  }

  #makeServer(index) {
    const { program = SERVER, env = {} } = this.#options;
    const isReady = (output) => {
      const [, port] = output.match(/Listening at http:\/\/127\.0\.0\.1:(\d+)/) ?? [];
      // It keeps its port when it is started again: the proxy knows it.
      if (port !== undefined) this.serverPorts[index] = Number(port);
      return port !== undefined;
    };
    return new Program({
      command: process.execPath,
      args: () => [program],
      env: () => ({ ...env, PORT: String(this.serverPorts[index]), REDIS_URL: this.redisUrl }),
      isReady,
      ...this.#observed(`process ${index + 1}`),
    });
  }

  #makeProxy() {
    const args = () => ['-db', '-f', join(this.#folder, 'haproxy.cfg')];
    const isReady = () => isListening(this.#ports.port);
    return new Program({ command: 'haproxy', args, isReady, ...this.#observed('proxy') });
  }

  #observed(name) {
    const { onOutput, onUnexpectedEnd } = this.#options;
    return { name, onOutput: (text) => onOutput?.(name, text), onUnexpectedEnd: () => onUnexpectedEnd?.(name) };
  }
}

/** The port, or any if it is 0. Rejects if it is in use. */
async function freePort(port, option) {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isUsed = /** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE';
      reject(isUsed ? new Error(`Port ${port} is in use. Choose another one with ${option}.`) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  const { port: found } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return found;
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
