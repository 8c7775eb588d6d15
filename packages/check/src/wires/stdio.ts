import { spawn } from 'node:child_process';
import type { StdioTarget } from '@hawser/client/target';
import { Inbox } from './inbox.ts';
import { received, textOf, type Wire } from './wire.ts';

export interface StdioWire extends Wire {
  /** Writes bytes as they are, without a line end. */
  write(bytes: Uint8Array | string): void;
  endInput(): void;
  /** Reads no more, as a client that has gone. */
  closeOutput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves to how the process ended. */
  readonly exit: Promise<ProcessExit>;
}

/** The environment of the server, besides what its target adds. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** In words. */
  readonly how: string;
}

/** Milliseconds for a server to exit by itself after its stdin closed. */
const EXIT_MS = 1000;
const STDERR_TAIL_CHARS = 300;
const LINE_FEED = 0x0a;

/** Starts the server. */
export function openStdio({ command, args, env, cwd }: StdioTarget, variables: Variables): StdioWire {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    cwd,
    env: { ...variables, ...env },
  });
  const inbox = new Inbox();
  const sent: Uint8Array[] = [];
  let rest = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) inbox.put(received(line));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  // A server that has gone is reported by its exit.
  child.stdin.on('error', () => {});
  const exit = new Promise<ProcessExit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null, how: string) => {
      if (rest !== '') inbox.put(received(rest));
      inbox.put({ kind: 'end', how });
      resolve({ code, signal, how });
    };
    child.once('error', (error) => end(null, null, `${command} could not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      const said = code === 0 || stderr.trim() === '' ? '' : `; its stderr ends with: ${stderr.trim()}`;
      end(
        code,
        signal,
        `the process ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}${said}`,
      );
    });
  });
  const write = (bytes: Uint8Array | string) => {
    // A message that is written in pieces is one.
    const begun = sent.at(-1)?.at(-1) === LINE_FEED ? undefined : sent.pop();
    sent.push(Buffer.concat([begun ?? Buffer.alloc(0), Buffer.from(bytes)]));
    if (child.stdin.writable) child.stdin.write(bytes);
  };
  /** A shell can't do it again. */
  const forgetSent = () => {
    sent.length = 0;
  };
  return {
    send: (message) => write(`${textOf(message)}\n`),
    write,
    next: (milliseconds) => inbox.take(milliseconds),
    flushed: async () => {},
    sent,
    endInput: () => child.stdin.end(),
    closeOutput: () => {
      forgetSent();
      child.stdout.destroy();
    },
    kill: (signal) => {
      forgetSent();
      child.kill(signal);
    },
    exit,
    close: async () => {
      child.stdin.end();
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        // A grandchild may hold the pipes open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, EXIT_MS);
      await exit;
      clearTimeout(timer);
    },
  };
}
