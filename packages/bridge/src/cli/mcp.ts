import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import { serveStdio } from '@hawser/mcp/stdio';
import { makePrivateFolder } from '@hawser/user-files/private-file';
import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { controlFolder } from '../control/place.ts';
import type { BridgeLink } from '../mcp-proxy/bridge-link.ts';
import { CurrentBridge } from '../mcp-proxy/current-bridge.ts';
import { findEndpoint } from '../mcp-proxy/find-endpoint.ts';
import { ToolProxy } from '../mcp-proxy/tool-proxy.ts';
import { type ReviewPolicy, serveWorkspace } from '../serving/serve-workspace.ts';
import type { Lifetime } from '../serving/until-ended.ts';

export interface McpFlags extends BridgeChoice {
  readonly review: ReviewPolicy;
  readonly deny: readonly string[];
  readonly languageServers: 'auto' | 'path' | 'off';
  readonly trust?: true;
  readonly logFile?: string;
}

export const mcpCommand = withBridgeOptions({
  name: 'mcp',
  description: "give any agent the editor's tools, as an MCP server on stdio",
  options: [
    {
      name: 'review',
      value: 'policy',
      description: 'if no bridge runs: what to do with proposals',
      choices: ['ask', 'accept', 'reject'],
      default: 'ask',
    },
    {
      name: 'deny',
      value: 'glob',
      description: 'if no bridge runs: files whose text no agent gets',
      isList: true,
    },
    {
      name: 'language-servers',
      value: 'where',
      description: 'if no bridge runs: where to find language servers',
      choices: ['auto', 'path', 'off'],
      default: 'auto',
    },
    { name: 'trust', description: 'if no bridge runs: let language servers that are part of the folder run' },
    { name: 'log-file', value: 'path', description: 'if no bridge runs: where to log' },
  ],
  notes: `Agents start this themselves: add the command "hawser mcp" to the MCP servers of the agent. It uses the bridge that
serves the folder it is started in, or the nearest folder above. If none runs it serves the folder itself, until an editor
starts; hawser review, in another terminal, then shows what agents propose.`,
});

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
    return 'exiting';
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
