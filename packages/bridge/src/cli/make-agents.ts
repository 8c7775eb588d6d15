import { join } from 'node:path';
import type { AgentAdapter } from '../agent.ts';
import { claudeCodeAdapter } from '../agents/claude-code/adapter.ts';
import { codexAdapter } from '../agents/codex/adapter.ts';
import { copilotCliAdapter } from '../agents/copilot-cli/adapter.ts';
import { geminiCliAdapter } from '../agents/gemini-cli/adapter.ts';
import { jetbrainsAdapter } from '../agents/jetbrains/adapter.ts';
import { mcpAdapter } from '../agents/mcp/adapter.ts';
import { qwenCodeAdapter } from '../agents/qwen-code/adapter.ts';
import { claudeLockFolder } from '../discovery/claude-lock.ts';
import { geminiLockFolder, qwenLockFolder } from '../discovery/companion-lock.ts';
import { copilotLockFolder } from '../discovery/copilot-lock.ts';
import type { AgentName } from './agent-names.ts';
import type { CodeServer } from './code-server.ts';
import type { Environment } from './environment.ts';

export interface AgentSettings {
  /** The first adapter's port, if the user chose one; two can't share it. */
  readonly port: number | undefined;
  /** What agents call the editor. */
  readonly ideName: string;
  /** Runs code for agents, if the user wants that. */
  readonly code: CodeServer | undefined;
}

/** These listen on a socket file. */
const WITHOUT_PORT: readonly AgentName[] = ['codex', 'copilot-cli'];

/** The adapters that `--agents` names. One whose settings are wrong fails when it is opened, and leaves the others. */
export function makeAgents(
  names: readonly AgentName[],
  settings: AgentSettings,
  environment: Environment,
): AgentAdapter[] {
  const first = names.find((name) => !WITHOUT_PORT.includes(name));
  return names.map((name) => {
    const own = { ...settings, port: name === first ? settings.port : undefined };
    return { name, open: async (bridge) => await makeAgent(name, own, environment).open(bridge) };
  });
}

function makeAgent(name: AgentName, { port, ideName, code }: AgentSettings, environment: Environment): AgentAdapter {
  const { home, stateFolder, temporaryFolder, isWindows, claudeConfigDir, codexHome } = environment;
  switch (name) {
    case 'codex':
      return codexAdapter({ codexHome: codexHome || join(home, '.codex'), temporaryFolder });
    case 'jetbrains':
      return jetbrainsAdapter({ stateFolder, port });
    case 'copilot-cli': {
      const lockFolder = copilotLockFolder({ copilotHome: environment.copilotHome, home });
      return copilotCliAdapter({ stateFolder, temporaryFolder: environment.temporaryFolder, ideName, lockFolder });
    }
    case 'gemini-cli':
      return geminiCliAdapter({
        stateFolder,
        port,
        ideName,
        lockFolder: geminiLockFolder(environment.temporaryFolder),
      });
    case 'qwen-code': {
      const lockFolder = qwenLockFolder({ qwenHome: environment.qwenHome, home });
      return qwenCodeAdapter({ stateFolder, port, ideName, lockFolder });
    }
    case 'mcp':
      return mcpAdapter({ stateFolder, port });
    case 'claude-code': {
      const lockFolder = claudeLockFolder({ configDir: claudeConfigDir, home });
      return claudeCodeAdapter({
        stateFolder,
        port,
        lockFolder,
        ideName,
        runningInWindows: isWindows,
        evaluate: code?.evaluate,
      });
    }
  }
}
