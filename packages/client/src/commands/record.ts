import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { ClientEnvironment } from '../client-environment.ts';
import { Recorder } from '../recorder.ts';

export interface RecordFlags {
  readonly output?: string;
}

export const recordCommand: CommandSyntax = {
  name: 'record',
  argument: 'command',
  rest: 'arguments',
  description: 'run an MCP server on stdio and write what it and its client say to a transcript',
  options: [{ name: 'output', short: 'o', value: 'file', description: 'the transcript (default: a new file here)' }],
  notes: `Put it before the command that an agent starts: hawser record -o s.transcript -- node server.js. A transcript that exists
gets one more session. It contains every message, secrets included; only you can read it.`,
};

/** Runs a server between a client's stdin and stdout and itself, byte for byte, and exits as the server does. */
export async function record(
  flags: RecordFlags,
  environment: ClientEnvironment,
  command: string,
  args: readonly string[],
): Promise<void> {
  const { cwd, stderr, onSignal } = environment;
  const began = new Date().toISOString();
  const path = resolve(cwd, flags.output ?? `session-${began.replace(/[:.]/g, '-')}.transcript`);
  const recorder = startRecorder(path, `${[command, ...args].join(' ')}, ${began}`);
  stderr(`hawser: recording to ${path}`);
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  onSignal((signal) => {
    // A terminal sends it to the server as well.
    if (signal !== 'SIGINT' || environment.terminal === undefined) child.kill(signal);
    return 'ignored';
  });
  let hasClientEnded = false;
  // A full disk must not end the conversation.
  const kept = (write: () => void) => {
    try {
      write();
    } catch (error) {
      stderr(`hawser: The transcript is incomplete: ${(error as Error).message}`);
    }
  };
  process.stdin.on('data', (chunk: Buffer) => kept(() => recorder.fromClient(chunk)));
  process.stdin.on('end', () => {
    hasClientEnded = true;
  });
  child.stdout.on('data', (chunk: Buffer) => kept(() => recorder.fromServer(chunk)));
  // A server that has ended reads no more.
  child.stdin.on('error', () => {});
  process.stdout.on('error', () => child.stdin.end());
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout, { end: false });
  const code = await new Promise<number>((done, failed) => {
    child.once('error', (error) => failed(new CommandFailed(ExitCode.noCommand, `${command}: ${error.message}`)));
    child.once('close', (exitCode, signal) => done(exitCode ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  }).finally(() => {
    process.stdin.destroy();
  });
  if (!hasClientEnded) kept(() => recorder.serverEnded());
  if (code !== 0) throw new CommandFailed(code, '');
}

function startRecorder(path: string, title: string): Recorder {
  try {
    return new Recorder(path, title);
  } catch (error) {
    throw new CommandFailed(ExitCode.failed, `The transcript can't be written: ${(error as Error).message}`);
  }
}
