import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import { serveStdio } from '@hawser/mcp/stdio';
import { makePrivateFolder } from '@hawser/user-files/private-file';
import { controlFolder } from '../../control/place.ts';
import { type ReviewPolicy, serveWorkspace } from '../../serving/serve-workspace.ts';
import type { Lifetime } from '../../serving/until-ended.ts';
import type { Environment } from '../environment.ts';
import type { BridgeChoice } from '../running-bridge.ts';
import { workspaceFolder } from '../workspace-folder.ts';
import type { BridgeLink } from './bridge-link.ts';
import { CurrentBridge } from './current-bridge.ts';
import { findEndpoint } from './find-endpoint.ts';
import { ToolProxy } from './tool-proxy.ts';

export interface McpFlags extends BridgeChoice {
  readonly review: ReviewPolicy;
  readonly deny: readonly string[];
  readonly languageServers: 'auto' | 'path' | 'off';
  readonly trust?: true;
  readonly logFile?: string;
}

/** `hawser mcp`: the tools of the bridge of this folder, on stdin and stdout, for as long as stdin is open. */
export async function runMcp(flags: McpFlags, environment: Environment): Promise<void> {
  const folder = workspaceFolder(flags.workspace ?? '.', environment);
  const sockets = controlFolder(environment);
  makePrivateFolder(sockets);
  const problem = (error: Error) => environment.stderr(`hawser: ${error.message}`);
  const ending = new AbortController();
  const end = (exitCode: number) => {
    ending.abort(new CommandFailed(exitCode, ''));
    void endProcess(async () => await bridge.close(), exitCode);
  };
  const lifetime: Lifetime = { signal: ending.signal, end: () => end(ExitCode.ok) };
  const bridge = new CurrentBridge({
    find: (pid) => findEndpoint(folder, pid === undefined ? flags : { bridge: pid }, environment),
    startStandIn: flags.bridge === undefined ? () => startStandIn(folder, flags, environment, lifetime) : undefined,
    pid: environment.pid,
    controlFolder: sockets,
    onChange: (link) => void setTools(link).catch(problem),
    onProblem: problem,
  });
  const proxy = new ToolProxy({
    info: { name: 'hawser', version: environment.version },
    link: async (agent) => {
      const link = await bridge.link(agent);
      await tools.get(link);
      return link;
    },
    onClosed: () => end(ExitCode.ok),
  });
  /** The last list of each bridge, while it is fetched. */
  const tools = new WeakMap<BridgeLink, Promise<void>>();
  const setTools = (link: BridgeLink) => {
    const fetched = link.listTools().then((listed) => proxy.setTools(listed));
    fetched.catch(() => {});
    tools.set(link, fetched);
    return fetched;
  };
  environment.onSignal((_signal, exitCode) => {
    end(exitCode);
    return 'heeded';
  });
  serveStdio(proxy.server);
}

/** A bridge with the embedded editor, for this folder and for other `hawser mcp` in it. */
async function startStandIn(workspace: string, flags: McpFlags, environment: Environment, lifetime: Lifetime) {
  const { review, logFile, deny, languageServers, trust } = flags;
  const logLevel = logFile === undefined ? 'error' : 'info';
  const running = await serveWorkspace(
    { workspace, agents: ['mcp'], review, logFile, logLevel, deny, languageServers, trust, isStandIn: true },
    // stdout belongs to the protocol.
    { ...environment, stdout: () => {} },
    lifetime,
  );
  process.once('exit', () => running.removeDiscovery());
  return running;
}
