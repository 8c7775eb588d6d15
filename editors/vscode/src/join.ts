import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';

/** How `hawser` is run: a program, its first words, and what its environment has besides this one's. */
export interface HawserCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const START_MS = 30_000;

/** The command of the bundle in this extension, or the one that the user has set. */
export function hawserCommand(configured: string, bundle: string): HawserCommand {
  if (configured !== '') return { program: configured, args: [], env: {} };
  const env = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  return { program: process.execPath, args: [bundle], env };
}

/** Runs `hawser` to its end. Rejects with what it wrote to stderr. */
export function runHawser(command: HawserCommand, args: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, env: { ...process.env, ...command.env }, timeout: START_MS, maxBuffer: 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command.program, [...command.args, ...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = stderr.trim().replace(/^hawser: /, '');
      reject(Object.assign(new Error(said || error.message), { stdout }));
    });
  });
}

/** A stream to the bridge that serves the folder, which is started if there is none. */
export async function joinBridge(command: HawserCommand, folder: string, options: readonly string[]): Promise<Socket> {
  const answer = await runHawser(command, ['editor', '--join', folder, ...options], folder);
  const { socket: path } = JSON.parse(answer) as { readonly socket: string };
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** The words for a bridge that this window starts. Agents that another extension serves are left to that. */
export function bridgeOptions(
  chosen: readonly string[] | null,
  known: readonly string[],
  left: readonly string[],
): string[] {
  const agents = chosen ?? known.filter((name) => !left.includes(name));
  const isDefault = chosen === null && left.length === 0;
  return isDefault || agents.length === 0 ? [] : ['--agents', agents.join(',')];
}
