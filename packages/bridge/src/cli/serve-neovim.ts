import { renameSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Access, contains, makeAccess } from '../access/access.ts';
import { type Bridge, openBridge } from '../bridge.ts';
import { isAlive } from '../discovery/alive.ts';
import { claudeLockFolder, claudeLockReader } from '../discovery/claude-lock.ts';
import { findLocks } from '../discovery/sweep.ts';
import type { EditorEvent } from '../editor.ts';
import { type NeovimEditor, neovimEditor } from '../editors/neovim/neovim-editor.ts';
import { type CodeOptions, type CodeServer, codeServerOf } from './code-server.ts';
import type { Environment } from './environment.ts';
import { openLog } from './log.ts';
import { makeAdapter } from './make-adapter.ts';
import { explain, type ServeOptions } from './serve.ts';

/** The name that agents know from other plugins of this editor. */
const IDENTITY = { name: 'Claude Code Neovim MCP', version: '0.1.0' };
/** A log that has grown beyond this is put aside at the next start. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

export interface NeovimStreams {
  /** Both are msgpack: nothing else may be written there. */
  readonly reader: NodeJS.ReadableStream;
  readonly writer: NodeJS.WritableStream;
  /** Neovim has gone and everything is taken down. */
  readonly onEnd: () => void;
}

export interface ServedNeovim {
  /** Takes everything down. Safe to call twice. */
  close(): Promise<void>;
  /** What cannot wait, when the process ends at once. */
  removeLocks(): void;
}

/** Serves the Neovim that has started this process, for as long as it lives. */
export async function serveNeovim(
  options: CodeOptions & Pick<ServeOptions, 'port' | 'doors' | 'deny' | 'logFile' | 'json'>,
  environment: Environment,
  { reader, writer, onEnd }: NeovimStreams,
): Promise<ServedNeovim> {
  putAside(options.logFile);
  const log = openLog({ file: options.logFile, json: options.json, stderr: environment.stderr });
  let bridge: Bridge | undefined;
  let code: CodeServer | undefined;
  const takeDown = async () => {
    await bridge?.close();
    await code?.close();
  };
  const removeLocks = () => {
    for (const door of bridge?.doors ?? []) door.removeLock();
  };
  const editor = await neovimEditor({
    reader,
    writer,
    onProblem: (problem) => log.error('editor', { message: problem.message }),
    onEnd: () => {
      log.info('neovim has gone');
      // First of all: whoever looks for us now must not find us.
      removeLocks();
      void takeDown().finally(onEnd);
    },
  });
  const folders = editor.firstFolders;
  const access = makeAccess({ folders, deny: options.deny, home: environment.home });
  access.paused = editor.isPaused;
  editor.onPause((paused) => {
    access.paused = paused;
  });
  const sharesProject = isServed(folders, environment);
  const name = sharesProject ? `Neovim (${editor.pid})` : 'Neovim';
  const showStatus = () => {
    if (bridge !== undefined) editor.showStatus(statusOf(bridge, name, sharesProject));
  };
  code = codeServerOf(options, folders[0] ?? environment.cwd, environment, log);
  const common = { access, identity: IDENTITY, ideName: name, code, onChange: showStatus };
  const doors = options.doors.map((door, index) => {
    const port = index === 0 ? options.port : undefined;
    return makeAdapter(door, { ...common, port }, environment, log);
  });
  const shown = withFirstFolders(editor);
  bridge = await openBridge(shown, doors).catch((error: unknown) => {
    throw explain(error);
  });
  const stopFollowing = editor.subscribe((event) => follow(event, access, editor, bridge));
  shown.tellFolders();
  showStatus();
  log.info('serving', { name, folders, neovim: editor.pid });
  return {
    close: async () => {
      stopFollowing();
      await takeDown();
    },
    removeLocks,
  };
}

/**
 * By the first folders of a Neovim its doors find their port and token again. So they are opened with those, wherever the
 * person has gone by then, and told afterwards.
 */
function withFirstFolders(editor: NeovimEditor): NeovimEditor {
  let isFirst = true;
  return {
    ...editor,
    workspaceFolders: () => (isFirst ? Promise.resolve(editor.firstFolders) : editor.workspaceFolders()),
    tellFolders: () => {
      isFirst = false;
      editor.tellFolders();
    },
  };
}

function follow(event: EditorEvent, access: Access, editor: NeovimEditor, bridge: Bridge | undefined): void {
  if (event.kind === 'workspace') access.folders = event.folders;
  if (event.kind !== 'mention') return;
  const isHeard = bridge?.doors.some((door) => door.clients().some(({ state }) => state === 'ready')) === true;
  if (access.paused) editor.showMessage('WARN', 'paused: agents see nothing; :HawserPause lets them in again');
  else if (access.isDenied(event.path)) editor.showMessage('WARN', `${basename(event.path)} is never shown to agents`);
  else if (!isHeard) editor.showMessage('WARN', 'no agent is connected; :HawserAgent starts one');
}

function statusOf(bridge: Bridge, name: string, sharesProject: boolean): object {
  const [first] = bridge.doors;
  return {
    address: first?.address,
    port: Number(new URL(first?.address ?? 'ws://none:0').port),
    lock: first?.lockPath,
    name,
    shares_project: sharesProject,
    clients: bridge.doors.flatMap((door) =>
      door.clients().map(({ name, version, state }) => ({ name, state, door: door.name, ...(version && { version }) })),
    ),
  };
}

/** Whether another editor already serves one of these folders, or one around or in them. */
function isServed(folders: readonly string[], { claudeConfigDir, home, isWindows, pid }: Environment): boolean {
  const locks = findLocks(
    claudeLockFolder({ configDir: claudeConfigDir, home }),
    claudeLockReader({ runningInWindows: isWindows }),
  );
  return locks.some(({ lock }) => {
    if (lock.pid === undefined || lock.pid === pid || !isAlive(lock.pid)) return false;
    return lock.folders.some((other) => folders.some((own) => contains(own, other) || contains(other, own)));
  });
}

function putAside(logFile: string | undefined): void {
  if (logFile === undefined) return;
  try {
    if (statSync(logFile).size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
  } catch {
    // There is none yet.
  }
}
