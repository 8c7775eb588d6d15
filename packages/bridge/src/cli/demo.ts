import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { makeAccess } from '../access/access.ts';
import type { Environment } from '../command-line/environment.ts';
import { makeScratch } from '../demo/scratch.ts';
import { type DemoStep, runScriptedAgent } from '../demo/scripted-agent.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { SILENT } from '../log.ts';
import { startBridge } from '../serving/start-bridge.ts';
import { openTerminalProgram, type TerminalProgram } from '../terminal-program/terminal-program.ts';

export const demoCommand: CommandSyntax = {
  name: 'demo',
  description: 'show how it works: a scripted agent proposes a change in a scratch folder',
  options: [],
};

/** `hawser demo`: a bridge, an agent and a proposal in a scratch folder, for users who have no agent yet. */
export async function demo(_flags: object, environment: Environment): Promise<void> {
  const { terminal, version, pid, isWindows, stdout } = environment;
  if (terminal === undefined) throw new CommandFailed(ExitCode.usage, 'hawser demo needs a terminal');
  const scratch = makeScratch(environment.temporaryFolder);
  process.once('exit', scratch.remove);
  const { workspace, stateFolder, lockFolder, home, variables } = scratch;
  const inScratch = { ...environment, cwd: workspace, stateFolder };
  const ending = new AbortController();
  let program: TerminalProgram | undefined;
  environment.onSignal((signal, code) => {
    if (signal === 'SIGINT' && program?.isEditing()) return 'ignored';
    ending.abort(new CommandFailed(code, ''));
    if (program === undefined) return 'exiting';
    program.leave();
    process.exit(code);
  });
  const bridge = await startBridge(
    {
      editor: workspaceEditor({ folders: [workspace], stateFolder }),
      access: makeAccess({ folders: [workspace] }),
      log: SILENT,
      identity: { name: 'Hawser', version, pid },
      agents: ['claude-code'],
      port: undefined,
      ideName: 'Hawser demo',
      reviewers: [],
      signal: ending.signal,
    },
    { ...inScratch, home, variables },
  );
  const shown = openTerminalProgram(bridge.connect(), { terminal, leaving: 'ends the demo' }, inScratch);
  program = shown;
  const onStep = (step: DemoStep) => shown.setBanner(bannerOf(step));
  shown.setBanner('DEMO  an agent is connecting…');
  const agent = runScriptedAgent({ workspace, lockFolder, version, isWindows, signal: ending.signal, onStep });
  agent.catch((error: Error) => shown.setBanner(`DEMO  the agent failed: ${error.message}. q ends`));
  await shown.over;
  ending.abort(new Error('The demo has ended'));
  await bridge.close();
  await agent.catch(() => undefined);
  scratch.remove();
  stdout('That was the demo; its folder is gone. To let agents into a folder of yours, run hawser there.');
}

function bannerOf(step: DemoStep): string {
  switch (step.kind) {
    case 'connected':
      return 'DEMO  an agent has connected';
    case 'proposing':
      return 'DEMO  an agent proposes a change: y n decide a hunk, a accepts, r rejects';
    case 'answered':
      return step.wrote
        ? 'DEMO  the agent received your text and wrote it: see 2 Files, 4 Traffic; q ends'
        : 'DEMO  the agent received your no and wrote nothing: see 4 Traffic; q ends';
  }
}
