import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { makeAccess } from '../access/access.ts';
import { claudeCodeAdapter } from '../agents/claude-code/adapter.ts';
import { openBridge } from '../bridge.ts';
import { makeScratch } from '../demo/scratch.ts';
import { type DemoStep, runScriptedAgent } from '../demo/scripted-agent.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { Environment } from './environment.ts';
import { openTerminalProgram } from './terminal-program.ts';

/** `hawser demo`: a bridge, an agent and a proposal in a scratch folder, for users who have no agent yet. */
export async function demo(environment: Environment): Promise<void> {
  const { terminal, temporaryFolder, version, pid, isWindows, stdout } = environment;
  if (terminal === undefined) throw new CommandFailed(ExitCode.usage, 'hawser demo needs a terminal');
  const scratch = makeScratch(temporaryFolder);
  process.once('exit', scratch.remove);
  const { workspace, stateFolder, lockFolder } = scratch;
  const bridge = await openBridge({
    editor: workspaceEditor({ folders: [workspace], stateFolder }),
    access: makeAccess({ folders: [workspace] }),
    identity: { name: 'Hawser', version, pid },
    agents: [claudeCodeAdapter({ stateFolder, lockFolder, ideName: 'Hawser demo', runningInWindows: isWindows })],
    reviewers: [],
    stateFolder,
  });
  const inScratch = { ...environment, cwd: workspace, stateFolder };
  const program = openTerminalProgram(bridge.connect(), { terminal, leaving: 'ends the demo' }, inScratch);
  environment.onSignal((signal, code) => {
    if (signal === 'SIGINT' && program.isEditing()) return 'ignored';
    program.leave();
    process.exit(code);
  });
  const ending = new AbortController();
  const onStep = (step: DemoStep) => program.setBanner(bannerOf(step));
  program.setBanner('DEMO  an agent is connecting…');
  const agent = runScriptedAgent({ workspace, lockFolder, version, isWindows, signal: ending.signal, onStep });
  agent.catch((error: Error) => program.setBanner(`DEMO  the agent failed: ${error.message}. q ends`));
  await program.over;
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
