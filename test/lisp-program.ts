import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Json } from '../packages/mcp/testing/json.ts';
import { Mailbox } from './mailbox.ts';

/** The built program, as a user runs it. */
export const LISP_PROGRAM = fileURLToPath(new URL('../packages/lisp/dist/main.cjs', import.meta.url));

/** A folder, by its real path, for the tests of a file. Called when the file is loaded: it goes after the last of them. */
export function folderForTests(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `hawser-lisp-${name}-`)));
  // A core that is being saved may still be written there.
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

/** Variables that name a folder for saved cores, so that tests neither use nor change the user's own. */
export function cacheForTests(): { readonly XDG_CACHE_HOME: string } {
  return { XDG_CACHE_HOME: folderForTests('cache') };
}

/** hawser-lisp as a process, spoken with in raw lines. */
export interface LispProgram {
  readonly process: ChildProcess;
  /** What it wrote to stderr so far. */
  readonly stderr: () => string;
  /** Sends a text as one line, exactly as it is; other values as JSON. */
  send(message: unknown): void;
  /** The next message that has not been read yet. */
  next(): Promise<Json>;
  /** Calls a tool and reads messages until its answer; earlier messages are in `earlier`. */
  call(name: string, args?: object, meta?: object): Promise<Json>;
  readonly earlier: Json[];
  /** Messages that were not read. */
  readonly rest: readonly Json[];
  close(): Promise<void>;
}

export function startLisp(args: readonly string[] = [], env: Record<string, string | undefined> = {}): LispProgram {
  const child = spawn(process.execPath, [LISP_PROGRAM, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const inbox = new Mailbox<Json>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => inbox.put(JSON.parse(line)));
  child.once('close', () => inbox.end(new Error(`hawser-lisp has ended; stderr: ${stderr}`)));
  child.stdin.on('error', () => {});
  const earlier: Json[] = [];
  let calls = 0;
  const send = (message: unknown) =>
    void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return {
    process: child,
    stderr: () => stderr,
    send,
    next: () => inbox.take(),
    earlier,
    get rest() {
      return inbox.rest;
    },
    call: async (name, args = {}, meta) => {
      calls += 1;
      // No id that a test would choose.
      const id = `call ${calls}`;
      const params = { name, arguments: args, ...(meta && { _meta: meta }) };
      send({ jsonrpc: '2.0', id, method: 'tools/call', params });
      for (;;) {
        const message = await inbox.take();
        if (message.id === id) return message.result ?? message;
        earlier.push(message);
      }
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Agrees on a revision, as every session begins. */
export async function greet(lisp: LispProgram, protocolVersion = '2025-11-25'): Promise<Json> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
  lisp.send({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params });
  const { result } = await lisp.next();
  lisp.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return result;
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
