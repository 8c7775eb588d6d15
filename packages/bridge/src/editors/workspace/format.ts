import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { decode, type Encoding, encode } from '../../encoding.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { TemporaryFiles } from '../../temporary-files.ts';
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

export interface FormatOptions {
  readonly signal: AbortSignal;
  readonly temporaryFiles: TemporaryFiles;
}

/** What the command makes of a text. The file at the path is neither read nor written: the text may be unsaved. */
export async function formatText(
  format: FormatCommand,
  file: Unformatted,
  { signal, temporaryFiles }: FormatOptions,
): Promise<string> {
  const { command, timeoutMs = 30_000, maxOutputBytes = 64 * 1024 * 1024, folder = dirname(file.path) } = format;
  const via = format.via ?? (command.some((word) => word.includes('{file}')) ? 'file' : 'stdin');
  const run = async (path: string, input?: Buffer) => {
    const options = { folder, signal, timeoutMs, maxOutputBytes, ...(input === undefined ? {} : { input }) };
    const { exitCode, stdout, stderr } = await runCommand(withFile(command, path), options);
    if (exitCode === 0) return stdout;
    const said = stderr.toString('utf8').trim().slice(-1000);
    throw new Error(`${command[0]} failed with exit code ${exitCode ?? 'unknown'}${said === '' ? '' : `: ${said}`}`);
  };
  if (via === 'file') {
    // A copy beside the file, where the command finds the same configuration, with the same extension.
    return await temporaryFiles.with(file.path, `.${basename(file.path).slice(-MAX_SUFFIX)}`, async (copy) => {
      await writeFile(copy.path, encode(file.text, file.encoding), { flag: 'wx', mode: 0o600 });
      await run(copy.path);
      return decode(await readRegularFile(copy.path, maxOutputBytes)).text;
    });
  }
  const formatted = (await run(file.path, encode(file.text, 'utf8'))).toString('utf8');
  if (formatted === '' && file.text.trim() !== '') throw new Error(`${command[0]} wrote nothing to stdout`);
  return formatted;
}

/** A name may have 255 bytes. Its end is what tells a formatter the language. */
const MAX_SUFFIX = 50;

function withFile([program, ...args]: Command, path: string): Command {
  return [program, ...args.map((argument) => argument.replaceAll('{file}', () => path))];
}
