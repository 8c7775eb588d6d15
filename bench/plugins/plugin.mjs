import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FrameReader, frameOf } from '@hawser/editor-protocol';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** In place of `hawser`: passes what the plugin says to the bench. */
const RELAY = `#!${process.execPath}
const socket = require('node:net').connect(process.env.HAWSER_BENCH_SOCKET);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
`;

/**
 * An editor in a hidden terminal, whose plugin has started; this process is the bridge. `command` gets the folder
 * of the editor and returns what runs in a terminal.
 */
export async function openPlugin(command) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const path = join(home, 'socket');
  writeFileSync(join(home, 'hawser'), RELAY);
  chmodSync(join(home, 'hawser'), 0o700);
  const server = createServer();
  await new Promise((resolve) => server.listen(path, () => resolve(undefined)));
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home, TERM: 'xterm', HAWSER_BENCH_SOCKET: path };
  const accepted = new Promise((resolve) => server.once('connection', resolve));
  const args = ['-qfec', `stty cols 120 rows 40; ${command(home)}`, '/dev/null'];
  const child = spawn('script', args, { cwd: home, env, stdio: ['pipe', 'ignore', 'ignore'] });
  const failed = new Promise((_, reject) => child.once('exit', () => reject(new Error('The editor has ended'))));
  failed.catch(() => {});
  const socket = /** @type {import('node:net').Socket} */ (await Promise.race([accepted, failed]));
  socket.on('error', () => {}); // the editor has ended
  const reader = new FrameReader(64 * 1024 * 1024);
  const waiting = new Map();
  const send = (message) => socket.write(frameOf(JSON.stringify({ jsonrpc: '2.0', ...message })));
  let id = 1_000_000_000;
  let processId = 0;
  const initialized = new Promise((resolve) => {
    socket.on('data', (chunk) => {
      reader.push(chunk);
      for (let body = reader.take(); body !== undefined; body = reader.take()) {
        const message = JSON.parse(body);
        if (message.method === 'initialize') {
          processId = message.params.processId;
          const serverInfo = { name: 'bench', version: '1' };
          send({ id: message.id, result: { protocolVersion: 1, serverInfo, isShared: false } });
        } else if (message.method === 'initialized') resolve(undefined);
        else if (message.method === undefined) waiting.get(message.id)?.(message);
      }
    });
  });
  await Promise.race([initialized, failed]);
  return {
    home,
    /** User and system time so far, in steps of the kernel's clock. */
    processorMs() {
      const fields = readFileSync(`/proc/${processId}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    notify: (method, params) => send({ method, params }),
    async request(method, params) {
      const mine = ++id;
      const answered = new Promise((resolve) => waiting.set(mine, resolve));
      send({ id: mine, method, params });
      const { error, result } = await Promise.race([answered, failed]);
      waiting.delete(mine);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      socket.destroy();
      server.close();
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
