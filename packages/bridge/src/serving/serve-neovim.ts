import { renameSync, statSync } from 'node:fs';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess, exitNow } from '@hawser/command-line/process-end';
import type { ParamsOf } from '@hawser/editor-protocol';
import type { Connection } from '@hawser/mcp';
import { isAlive } from '@hawser/user-files/alive';
import { type Access, makeAccess } from '../access/access.ts';
import { contains } from '../access/paths.ts';
import type { Bridge } from '../bridge.ts';
import { discoveryPlaces } from '../command-line/editor-finder.ts';
import type { Environment } from '../command-line/environment.ts';
import { clientStatus } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { findDiscoveryFiles } from '../discovery/editors.ts';
import type { Editor, EditorEvent } from '../editor.ts';
import { statusForEditors } from '../editor-windows.ts';
import { Listeners } from '../editors/listeners.ts';
import { MsgpackConnection } from '../editors/remote/msgpack-connection.ts';
import { acceptEditor, type RemoteEditor } from '../editors/remote/remote-editor.ts';
import { mentionInWords } from '../mention-in-words.ts';
import { agentFacts } from '../terminal-program/workspace-facts.ts';
import { howToReach } from './how-to-reach.ts';
import { joinOrStay } from './joining.ts';
import { openLog } from './open-log.ts';
import { openPage } from './open-page.ts';
import type { ServeOptions } from './serve-workspace.ts';
import { type CodeOptions, explain, folderOf, gatesIn, startBridge } from './start-bridge.ts';
import { type Lifetime, type Serving, serveUntilEnded } from './until-ended.ts';

/** The name that agents know from other plugins for Neovim. */
const IDENTITY = { name: 'Claude Code Neovim MCP', version: '0.1.0' };
/** A larger log is renamed at the next start. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
const FAILED_MS = 1000;

export interface NeovimOptions
  extends CodeOptions,
    Pick<ServeOptions, 'port' | 'deny' | 'history' | 'noticing' | 'logFile' | 'logLevel' | 'json'> {
  readonly agents: readonly string[];
}

/**
 * Serves the Neovim that has started this process, on stdin and stdout, for as long as it runs: through the bridge of its
 * folder, or as that bridge.
 */
export async function runServeNeovim(options: NeovimOptions, environment: Environment): Promise<void> {
  if (process.stdin.isTTY) {
    throw new CommandFailed(ExitCode.usage, 'Neovim starts this itself: see :help hawser, and docs/neovim.md');
  }
  // Both carry msgpack: nothing else may be written there.
  const stdio = new MsgpackConnection(process.stdin, process.stdout);
  const connection = await joinOrStay(
    stdio,
    options.deny,
    environment,
    () => void endProcess(async () => {}, ExitCode.ok),
  );
  if (connection === undefined) return;
  const serving = serveUntilEnded(({ signal }) => serveNeovim(connection, options, environment, signal), environment);
  await serving.catch((error: unknown) => {
    // The error is reported and the process ends by itself, unless something keeps it.
    process.stdin.destroy();
    setTimeout(() => exitNow(ExitCode.failed), FAILED_MS).unref();
    throw error;
  });
}

async function serveNeovim(
  connection: Connection,
  options: NeovimOptions,
  environment: Environment,
  signal: Lifetime['signal'],
): Promise<Serving> {
  const onEnd = () => void endProcess(async () => {}, ExitCode.ok);
  rotateLog(options.logFile);
  const { logFile: file, logLevel: level, json = false } = options;
  const log = openLog({ file, level, json, stderr: environment.stderr });
  let opening: Promise<Bridge> | undefined;
  let bridge: Bridge | undefined;
  let hasFailed = false;
  const closeBridge = async () => {
    // Neovim can exit while the bridge opens, when some adapters have written their lock files already.
    const opened = await opening?.catch(() => undefined);
    await opened?.close();
  };
  const onProblem = (problem: Error) => log.error('editor', { message: problem.message });
  const editor = await acceptEditor({
    connection,
    carriesNul: true,
    waitsForPrompts: true,
    stateFolder: environment.stateFolder,
    serverInfo: { name: 'hawser', version: environment.version },
    isShared: false,
    mayHaveNoFolder: true,
    onProblem,
    onEnd: () => {
      log.info('neovim has exited');
      // First of all, so that no agent finds this bridge any more.
      bridge?.removeDiscovery();
      bridge?.reviews.fail(new Error('Neovim was closed before the user decided; nothing is written'));
      // The agents are answered before their connections close.
      setImmediate(() => {
        void closeBridge()
          .catch(onProblem)
          .finally(() => {
            if (!hasFailed) onEnd();
          });
      });
    },
  });
  const folders = editor.firstFolders;
  const access = makeAccess({ folders, deny: options.deny, home: environment.home });
  access.paused = editor.isPaused;
  editor.onPause((paused) => {
    access.paused = paused;
  });
  const sharesProject = isServed(folders, environment);
  const name = sharesProject ? `Neovim (${editor.processId})` : 'Neovim';
  let on: readonly string[] = [];
  const show = () => {
    if (bridge !== undefined) editor.showStatus(statusOf(bridge, access, environment, { name, on }));
  };
  const showStatus = () => {
    show();
    gatesIn(access, environment).then((now) => {
      if (now.join() === on.join()) return;
      on = now;
      show();
    }, onProblem);
  };
  let commands: ControlClient | undefined;
  editor.onOpenPage(async (wish) => {
    commands ??= bridge?.connect();
    if (commands === undefined) throw new Error('The bridge is starting. Try again.');
    return await openPage(commands, wish, environment);
  });
  const { shown, sendFolders } = withFirstFolders(editor, onProblem);
  opening = startBridge(
    {
      editor: shown,
      access,
      control: environment,
      log,
      agents: options.agents,
      executeCode: options.executeCode,
      executeTool: options.executeTool,
      history: options.history,
      noticing: options.noticing,
      identity: { ...IDENTITY, hawserVersion: environment.version, pid: environment.pid },
      ideName: name,
      port: options.port,
      reviewers: editor.reviewer && [editor.reviewer],
      onStop: () => void closeBridge().catch(onProblem).finally(onEnd),
      onChange: showStatus,
      signal,
    },
    environment,
  );
  bridge = await opening.catch((error: unknown) => {
    // The caller reports it and ends the process.
    hasFailed = true;
    throw error;
  });
  for (const failure of bridge.failures) {
    editor.showMessage('warning', `${failure.name} agents can't connect: ${explain(failure.error).message}`);
  }
  const stopFollowing = editor.subscribe((event) => void explainMention(event, access, editor, bridge));
  await sendFolders();
  showStatus();
  log.info('serving', { name, folders, neovim: editor.processId });
  return {
    close: async () => {
      stopFollowing();
      await closeBridge();
    },
    removeDiscovery: () => bridge?.removeDiscovery(),
  };
}

/**
 * A bridge finds its port and token again by the first folders of its Neovim. So it is opened with those, wherever the
 * user is by then, and gets the current ones afterwards.
 */
function withFirstFolders(editor: RemoteEditor, onProblem: (problem: Error) => void) {
  let isFirst = true;
  const listeners = new Listeners(onProblem);
  const shown: Editor = {
    ...editor,
    workspaceFolders: () => (isFirst ? Promise.resolve(editor.firstFolders) : editor.workspaceFolders()),
    subscribe: (receive) => {
      const stops = [listeners.add(receive), editor.subscribe(receive)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
  const sendFolders = async () => {
    isFirst = false;
    listeners.emit({ kind: 'workspace', folders: await editor.workspaceFolders() });
  };
  return { shown, sendFolders };
}

/** Tells the user what has become of a mention. */
async function explainMention(
  event: EditorEvent,
  access: Access,
  editor: RemoteEditor,
  bridge: Bridge | undefined,
): Promise<void> {
  if (event.kind !== 'mention') return;
  const { type, message } = await mentionInWords(event, { access, agents: bridge?.agents ?? [], advice: ADVICE });
  editor.showMessage(type, message);
}

const ADVICE = { resume: ':Hawser pause resumes sharing', start: ':Hawser agent starts one' };

function statusOf(
  bridge: Bridge,
  access: Access,
  environment: Environment,
  { name, on }: { readonly name: string; readonly on: readonly string[] },
): ParamsOf<'bridge/status'> {
  return {
    ...statusForEditors({ agents: () => bridge.agents, access, reviews: bridge.reviews }),
    ...howToReach(bridge.agents, { ...environment, cwd: folderOf(access, environment) }),
    name,
    reviews: reviewsOf(bridge, on, environment),
  };
}

/** Whether the changes of each agent are reviewed now; those that are neither connected nor installed are left out. */
function reviewsOf(
  { agents, lastChanges }: Bridge,
  gates: readonly string[],
  { searchPath }: Environment,
): readonly object[] {
  const status = agents.map((agent) => ({
    ...agent,
    clients: agent.clients().map((client) => clientStatus(client, lastChanges)),
  }));
  return agentFacts({ agents: status, gates }, searchPath)
    .map(({ displayName, connected, installed, review }) => {
      return { name: displayName, isConnected: connected.length > 0, installed, review };
    })
    .filter(({ isConnected, installed }) => isConnected || installed);
}

/** Whether agents know another editor, by its name, that serves one of these folders, or one around or in them. */
function isServed(own: readonly string[], environment: Environment): boolean {
  const { files } = findDiscoveryFiles(discoveryPlaces(environment), own);
  return files.some(({ name, pid, folders }) => {
    if (name === undefined || pid === undefined || pid === environment.pid || !isAlive(pid)) return false;
    return folders.some((other) => own.some((folder) => contains(folder, other) || contains(other, folder)));
  });
}

function rotateLog(logFile: string | undefined): void {
  if (logFile === undefined) return;
  try {
    if (statSync(logFile).size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
  } catch {
    // There is none yet.
  }
}
