import type { Access } from '../access/access.ts';
import type { AgentAdapter } from '../agent.ts';
import { claudeCodeAdapter } from '../agents/claude-code/adapter.ts';
import { jetbrainsAdapter } from '../agents/jetbrains/adapter.ts';
import { claudeLockFolder } from '../discovery/claude-lock.ts';
import type { SweepReport } from '../discovery/sweep.ts';
import type { AgentName } from './agent-names.ts';
import type { CodeServer } from './code-server.ts';
import type { Environment } from './environment.ts';
import type { Log } from './log.ts';

export interface AdapterPlan {
  readonly access: Access;
  /** What the server calls itself. */
  readonly identity: { readonly name: string; readonly version: string };
  /** What agents show people. */
  readonly ideName: string;
  /** The only port to take, if there is one. */
  readonly port: number | undefined;
  /** Runs code for agents, when the person wants that. */
  readonly code?: CodeServer | undefined;
  /** Somebody comes or goes. */
  readonly onChange: () => void;
}

/** A door by its name, with all that happens at it in the log. */
export function makeAdapter(name: AgentName, plan: AdapterPlan, environment: Environment, log: Log): AgentAdapter {
  const { access, identity, ideName, port, code, onChange } = plan;
  const { home, stateFolder, pid, isWindows, claudeConfigDir } = environment;
  const common = {
    access,
    identity,
    stateFolder,
    pid,
    port,
    onClient: (client: object) => {
      log.info('client', { door: name, ...client });
      onChange();
    },
    onLockEvent: (event: object) => log.info('lock', { door: name, ...event }),
    onWarning: (warning: Error) => log.error('folder', { door: name, message: warning.message }),
    onSwept: ({ removed }: SweepReport) => {
      for (const path of removed) log.info('stale lock removed', { door: name, path });
    },
  };
  if (name === 'jetbrains') return jetbrainsAdapter(common);
  const lockFolder = claudeLockFolder({ configDir: claudeConfigDir, home });
  return claudeCodeAdapter({ ...common, lockFolder, ideName, runningInWindows: isWindows, evaluate: code?.evaluate });
}
