import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Framing, framingOf } from './framings.ts';

/** How long an editor may take to start and to connect. */
const START_MS = 30_000;
const EXIT_MS = 2000;

/** In place of `hawser`: passes what the plugin says to the test. */
const RELAY = `#!${process.execPath}
const socket = require('node:net').connect(process.env.HAWSER_EDITOR_SOCKET);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
`;

/** How an editor with a plugin is started. */
export interface EditorCommand {
  readonly command: readonly [string, ...string[]];
  /** How it is asked to end, before it is killed. Default `SIGTERM`. */
  readonly endSignal?: NodeJS.Signals;
  /** Its environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** An editor with a plugin, started for a test. The plugin believes that it has started `hawser editor`. */
export interface LiveEditor {
  readonly socket: Socket;
  /** What its plugin speaks. */
  readonly framing: Framing;
  /** A folder that goes with it. */
  readonly home: string;
  readonly stderr: () => string;
  /** Ends the editor and removes what it needed. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts an editor in a folder and waits until its plugin connects. `hawser` on its PATH is a relay to this test. Rejects
 * with the end of its stderr if it exits before.
 */
export async function startEditor(
  { command, variables, endSignal = 'SIGTERM' }: EditorCommand,
  folder: string,
): Promise<LiveEditor> {
  const home = mkdtempSync(join(tmpdir(), 'hawser-kit-'));
  const path = join(home, 'socket');
  writeFileSync(join(home, 'hawser'), RELAY);
  chmodSync(join(home, 'hawser'), 0o700);
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  const [program, ...args] = command;
  const env = {
    ...variables,
    PATH: `${home}${delimiter}${variables.PATH ?? ''}`,
    HAWSER_EDITOR_SOCKET: path,
  };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      stderr += error.message;
      resolve();
    });
  });
  const stop = async () => {
    server.close();
    await end(child, exited, endSignal);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const socket = await connected(
      server,
      exited,
      () => `${command.join(' ')} ended before its plugin started hawser editor: ${stderr}`,
    );
    socket.on('error', () => {}); // `close` follows
    return { socket, framing: await framingOf(socket), home, stderr: () => stderr, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function connected(server: Server, exited: Promise<void>, reason: () => string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(
        new Error(`No plugin started hawser editor within ${START_MS / 1000} seconds. It must run hawser from PATH.`),
      );
    }, START_MS);
    server.once('connection', (socket) => {
      clearTimeout(late);
      resolve(socket);
    });
    void exited.then(() => {
      clearTimeout(late);
      reject(new Error(reason()));
    });
  });
}

async function end(child: ChildProcess, exited: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    const kill = setTimeout(() => child.kill('SIGKILL'), EXIT_MS);
    await exited;
    clearTimeout(kill);
  }
}
