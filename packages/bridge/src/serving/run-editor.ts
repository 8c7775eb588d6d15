import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import { FrameReader } from '@hawser/editor-protocol';
import type { Connection } from '@hawser/mcp';
import type { Environment } from '../command-line/environment.ts';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';
import { acceptEditor } from '../editors/remote/remote-editor.ts';
import { connectBridge, folderIn } from './joining.ts';
import { openLog } from './open-log.ts';
import { type ServeOptions, serveWorkspace } from './serve-workspace.ts';
import { serveUntilEnded } from './until-ended.ts';

export interface EditorFlags
  extends Pick<ServeOptions, 'agents' | 'languageServers' | 'noticing' | 'history' | 'deny'> {
  readonly port?: number;
  readonly logFile?: string;
  readonly json?: true;
  readonly check?: true;
  readonly lsp?: true;
  readonly only?: string;
  readonly join?: string;
}

/** The first message is small; an editor that sends more without it is refused. */
const MAX_HELLO_BYTES = 1024 * 1024;

/** Serves the editor that has started this process: through the bridge of its folder, or as that bridge. */
export async function runEditor(flags: EditorFlags, rest: readonly string[], environment: Environment): Promise<void> {
  requireEditor(rest);
  const folder = await firstFolder(process.stdin);
  const bridge = folder === undefined ? undefined : await connectBridge({ folder, deny: flags.deny }, environment);
  if (bridge !== undefined) return relay(bridge, environment);
  await serveEditor(new ContentLengthConnection(process.stdin, process.stdout), flags, environment);
}

/** Throws if it is a user who has started this process. */
export function requireEditor([argument]: readonly string[]): void {
  if (argument !== undefined) throw new CommandFailed(ExitCode.usage, `hawser editor takes no argument ${argument}.`);
  if (process.stdin.isTTY) {
    throw new CommandFailed(
      ExitCode.usage,
      'An editor starts this itself: see docs/editor-protocol.md and docs/lsp.md',
    );
  }
}

/** The first workspace folder that the editor names. What was read of the stream is put back. */
async function firstFolder(input: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  const frames = new FrameReader(MAX_HELLO_BYTES);
  const hello = await new Promise<string | undefined>((resolve) => {
    const settle = (body: string | undefined) => {
      input.off('data', read).off('end', ended).pause();
      resolve(body);
    };
    const read = (chunk: Buffer) => {
      chunks.push(chunk);
      frames.push(chunk);
      try {
        const body = frames.take();
        if (body !== undefined) settle(body);
      } catch {
        settle(undefined);
      }
    };
    const ended = () => settle(undefined);
    input.on('data', read).on('end', ended);
  });
  if (chunks.length > 0 && !input.readableEnded) input.unshift(Buffer.concat(chunks));
  return folderIn(() => JSON.parse(hello ?? ''));
}

function relay(socket: Socket, environment: Environment): void {
  const end = () => void endProcess(async () => {}, ExitCode.ok);
  socket.on('error', end).on('close', end);
  process.stdout.on('error', end);
  environment.onSignal(() => {
    end();
    return 'exiting';
  });
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
}

/** Is the bridge of an editor for as long as that runs. */
export async function serveEditor(connection: Connection, flags: EditorFlags, environment: Environment): Promise<void> {
  const { port, logFile, json, agents, languageServers, noticing, history, deny } = flags;
  const log = openLog({ file: logFile, level: 'error', json: json ?? false, stderr: environment.stderr });
  await serveUntilEnded(async (lifetime) => {
    const window = await acceptEditor({
      connection,
      stateFolder: environment.stateFolder,
      serverInfo: { name: 'hawser', version: environment.version },
      isShared: false,
      onProblem: (problem) => log.error('editor', { message: problem.message }),
      onEnd: lifetime.end,
    }).catch((error: Error) => {
      throw new CommandFailed(ExitCode.failed, `No editor: ${error.message}`);
    });
    const [workspace = '.'] = await window.workspaceFolders();
    const options = { workspace, port, agents, languageServers, noticing, history, deny, logFile, json };
    // Stdout carries the protocol.
    const quiet = { ...environment, stdout: () => {} };
    const served = await serveWorkspace({ ...options, ideName: window.name }, quiet, lifetime).catch((error: Error) => {
      window.showMessage('error', error.message);
      throw error;
    });
    served.join(window);
    return served;
  }, environment);
}
