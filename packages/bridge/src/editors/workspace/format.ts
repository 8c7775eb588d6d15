import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { decode, type Encoding, encode } from './encoding.ts';
import { type Command, runCommand } from './run-command.ts';

export interface FormatCommand {
  /** `{file}` in an argument stands for the path of the file. */
  readonly command: Command;
  /**
   * How the command gets the text: from a file that it changes, or on stdin to answer on stdout, in UTF-8. By default a
   * command that names `{file}` gets a file.
   */
  readonly via?: 'file' | 'stdin';
  /** Where it runs; the folder of the file by default. */
  readonly folder?: string;
  /** Default 30 000. */
  readonly timeoutMs?: number;
  /** Default 64 MiB. */
  readonly maxOutputBytes?: number;
}

export interface Unformatted {
  readonly path: string;
  readonly text: string;
  readonly encoding: Encoding;
}

/** What the command makes of a text. The file at the path is neither read nor written: the text may be unsaved. */
export async function formatText(format: FormatCommand, file: Unformatted, signal: AbortSignal): Promise<string> {
  const { command, timeoutMs = 30_000, maxOutputBytes = 64 * 1024 * 1024, folder = dirname(file.path) } = format;
  const via = format.via ?? (command.some((word) => word.includes('{file}')) ? 'file' : 'stdin');
  const run = async (path: string, input?: Buffer) => {
    const options = { folder, signal, timeoutMs, maxOutputBytes, ...(input === undefined ? {} : { input }) };
    const { exitCode, stdout, stderr } = await runCommand(withFile(command, path), options);
    if (exitCode === 0) return stdout;
    const said = stderr.toString('utf8').trim().slice(-1000);
    throw new Error(`${command[0]} failed with exit code ${exitCode ?? 'unknown'}${said === '' ? '' : `: ${said}`}`);
  };
  if (via === 'file') return await formatCopy(file, run);
  const formatted = (await run(file.path, encode(file.text, 'utf8'))).toString('utf8');
  if (formatted === '' && file.text.trim() !== '') throw new Error(`${command[0]} wrote nothing to stdout`);
  return formatted;
}

/** A copy beside the file, where the command finds the same configuration, with the same extension. */
async function formatCopy(
  { path, text, encoding }: Unformatted,
  run: (path: string) => Promise<unknown>,
): Promise<string> {
  const copy = join(dirname(path), `.hawser-${randomUUID().slice(0, 8)}.${basename(path)}`);
  try {
    const handle = await open(copy, 'wx', 0o600);
    try {
      await handle.writeFile(encode(text, encoding));
    } finally {
      await handle.close();
    }
    await run(copy);
    return decode(await readFile(copy)).text;
  } finally {
    await rm(copy, { force: true });
  }
}

function withFile([program, ...args]: Command, path: string): Command {
  return [program, ...args.map((argument) => argument.replaceAll('{file}', () => path))];
}
