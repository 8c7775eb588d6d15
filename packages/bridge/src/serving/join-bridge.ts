import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { takeFileLock } from '@hawser/user-files/file-lock';
import { hashedName } from '@hawser/user-files/names';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { controlFolder } from '../control/place.ts';
import { makeSocketFolder, socketPrefix } from '../discovery/socket-folder.ts';
import { joinableBridge } from './joining.ts';
import type { EditorFlags } from './run-editor.ts';

/** How long a bridge that was started for editors goes on without one: a window that is reloaded comes back by then. */
const IDLE_SECONDS = 60;
const START_MS = 20_000;
/** Another window may start the bridge, and fail. */
const LOCK_MS = 2 * START_MS;

/**
 * Prints where the bridge of a folder listens for editors. If there is none, one is started in the background; of several
 * windows that open at once, one starts it.
 */
export async function printBridge(given: string, flags: EditorFlags, environment: Environment): Promise<void> {
  const folder = workspaceFolder(given, environment);
  const found =
    (await joinableBridge({ folder, deny: flags.deny }, environment)) ?? (await startOnce(folder, flags, environment));
  environment.stdout(JSON.stringify({ socket: found }));
}

async function startOnce(folder: string, flags: EditorFlags, environment: Environment): Promise<string> {
  const sockets = controlFolder(environment);
  makeSocketFolder(sockets);
  const lock = join(sockets, `start-${socketPrefix()}${hashedName(folder).slice(0, 8)}.lock`);
  const late = new CommandFailed(
    ExitCode.failed,
    `Another program starts the bridge of ${folder}. Try again, or remove ${lock}`,
  );
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(late), LOCK_MS);
  const release = await takeFileLock(lock, ending.signal).finally(() => clearTimeout(timer));
  try {
    const started = await joinableBridge({ folder, deny: flags.deny }, environment);
    return started ?? (await spawnBridge(folder, flags, environment));
  } finally {
    await release();
  }
}

async function spawnBridge(folder: string, flags: EditorFlags, environment: Environment): Promise<string> {
  const [program, ...args] = environment.program;
  const serve = ['serve', '--headless', '--workspace', folder, '--idle-exit', String(IDLE_SECONDS)];
  const child = spawn(program, [...args, ...serve, ...wordsOf(flags)], {
    cwd: folder,
    env: environment.variables,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(-2000);
  });
  // Its first line comes when agents can connect.
  const listening = once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) });
  const ended = once(child, 'close').then(() => {
    throw new CommandFailed(ExitCode.failed, `The bridge of ${folder} did not start: ${problem.trim()}`);
  });
  await Promise.race([listening, ended]);
  ended.catch(() => {});
  const socket = await joinableBridge({ folder, deny: flags.deny }, environment);
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  if (socket === undefined) throw new CommandFailed(ExitCode.failed, `The bridge of ${folder} can't be reached`);
  return socket;
}

function wordsOf({ port, agents, languageServers, noticing, history, deny, logFile, json }: EditorFlags): string[] {
  const words = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name}`, String(value)];
  return [
    ...words('port', port),
    ...words('agents', agents?.join(',')),
    ...words('language-servers', languageServers),
    ...words('noticing', noticing),
    ...words('history', history),
    ...(deny ?? []).flatMap((glob) => words('deny', glob)),
    // Nobody reads its stderr later.
    ...words('log-file', logFile ?? '/dev/null'),
    ...(json === true ? ['--json'] : []),
  ];
}
