import { checkCommand } from '@hawser/check/command/check';
import { callCommand } from '@hawser/client/commands/call';
import { healthCommand } from '@hawser/client/commands/health';
import { infoCommand, promptsCommand, resourcesCommand, toolsCommand } from '@hawser/client/commands/lists';
import { loginCommand } from '@hawser/client/commands/login';
import { logoutCommand } from '@hawser/client/commands/logout';
import { pingCommand } from '@hawser/client/commands/ping';
import { recordCommand } from '@hawser/client/commands/record';
import { replayCommand } from '@hawser/client/commands/replay';
import { shellCommand } from '@hawser/client/commands/shell';
import { watchCommand } from '@hawser/client/commands/watch';
import { type Command, loadedWhenRun } from '@hawser/command-line/command';
import { inspectCommand } from '@hawser/inspect/command/inspect';
import { completionCommand } from '../cli/completion.ts';
import { connectCommand } from '../cli/connect.ts';
import { demoCommand } from '../cli/demo.ts';
import { doctorCommand } from '../cli/doctor.ts';
import { editorCommand } from '../cli/editor.ts';
import { editorsCommand } from '../cli/editors.ts';
import { gateCommand } from '../cli/gate.ts';
import { logCommand } from '../cli/log.ts';
import { mcpCommand } from '../cli/mcp.ts';
import { mentionCommand } from '../cli/mention.ts';
import { pauseCommand, resumeCommand } from '../cli/pause.ts';
import { reviewCommand } from '../cli/review.ts';
import { runCommand } from '../cli/run.ts';
import { serveCommand } from '../cli/serve.ts';
import { statusCommand } from '../cli/status.ts';
import { stopCommand } from '../cli/stop.ts';
import { tokensCommand } from '../cli/tokens.ts';
import { trustCommand } from '../cli/trust.ts';
import { undoCommand } from '../cli/undo.ts';
import type { Environment } from './environment.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command<Environment>[];
}

/**
 * Of each file that is loaded when its command runs, only the syntax comes into this bundle. Those that choose themselves
 * what they load are commands already.
 */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Bridge',
    commands: [
      serveCommand,
      loadedWhenRun(demoCommand, async () => (await import('../cli/demo.ts')).demo),
      loadedWhenRun(statusCommand, async () => (await import('../cli/status.ts')).status),
      loadedWhenRun(pauseCommand, async () => (await import('../cli/pause.ts')).pause),
      loadedWhenRun(resumeCommand, async () => (await import('../cli/pause.ts')).resume),
      loadedWhenRun(mentionCommand, async () => (await import('../cli/mention.ts')).mention),
      loadedWhenRun(stopCommand, async () => (await import('../cli/stop.ts')).stop),
    ],
  },
  {
    title: 'Review',
    commands: [
      loadedWhenRun(reviewCommand, async () => (await import('../cli/review.ts')).review),
      loadedWhenRun(logCommand, async () => (await import('../cli/log.ts')).log),
      loadedWhenRun(undoCommand, async () => (await import('../cli/undo.ts')).undo),
    ],
  },
  {
    title: 'Agents',
    commands: [
      loadedWhenRun(runCommand, async () => (await import('../cli/run.ts')).runAgent),
      gateCommand,
      loadedWhenRun(connectCommand, async () => (await import('../cli/connect.ts')).connect),
      editorCommand,
      loadedWhenRun(mcpCommand, async () => (await import('../cli/mcp.ts')).runMcp),
      loadedWhenRun(editorsCommand, async () => (await import('../cli/editors.ts')).editors),
      loadedWhenRun(tokensCommand, async () => (await import('../cli/tokens.ts')).tokens),
    ],
  },
  {
    title: 'MCP servers',
    commands: [
      loadedWhenRun(infoCommand, async () => (await import('@hawser/client/commands/lists')).info),
      loadedWhenRun(toolsCommand, async () => (await import('@hawser/client/commands/lists')).tools),
      loadedWhenRun(resourcesCommand, async () => (await import('@hawser/client/commands/lists')).resources),
      loadedWhenRun(promptsCommand, async () => (await import('@hawser/client/commands/lists')).prompts),
      loadedWhenRun(callCommand, async () => (await import('@hawser/client/commands/call')).callTool),
      loadedWhenRun(watchCommand, async () => (await import('@hawser/client/commands/watch')).watch),
      loadedWhenRun(pingCommand, async () => (await import('@hawser/client/commands/ping')).ping),
      loadedWhenRun(healthCommand, async () => (await import('@hawser/client/commands/health')).health),
      loadedWhenRun(recordCommand, async () => (await import('@hawser/client/commands/record')).record),
      loadedWhenRun(replayCommand, async () => (await import('@hawser/client/commands/replay')).replayTranscript),
      loadedWhenRun(shellCommand, async () => (await import('@hawser/client/commands/shell')).shell),
      loadedWhenRun(inspectCommand('found'), async () => (await import('@hawser/inspect/command/inspect')).inspect),
      loadedWhenRun(checkCommand('found'), async () => (await import('@hawser/check/command/check')).checkServer),
      loadedWhenRun(loginCommand, async () => (await import('@hawser/client/commands/login')).login),
      loadedWhenRun(logoutCommand, async () => (await import('@hawser/client/commands/logout')).logout),
    ],
  },
  {
    title: 'Setup',
    commands: [
      loadedWhenRun(doctorCommand, async () => (await import('../cli/doctor.ts')).doctor),
      loadedWhenRun(trustCommand, async () => (await import('../cli/trust.ts')).trust),
      loadedWhenRun(completionCommand, async () => {
        const { completion } = await import('../cli/completion.ts');
        return (_flags, environment, shell) => completion(shell, commands, environment);
      }),
    ],
  },
];

export const commands: readonly Command<Environment>[] = commandGroups.flatMap((group) => group.commands);
