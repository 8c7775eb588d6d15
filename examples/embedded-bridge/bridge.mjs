// A bridge in a program of your own: it serves the current folder to Claude Code and rejects what agents propose.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeCodeAdapter, makeAccess, openBridge, workspaceEditor } from 'hawser';

const folder = process.cwd();
const bridge = await openBridge({
  editor: workspaceEditor({ folders: [folder] }),
  access: makeAccess({ folders: [folder], home: homedir() }),
  agents: [
    claudeCodeAdapter({
      ideName: 'My editor',
      lockFolder: join(homedir(), '.claude', 'ide'),
      stateFolder: join(homedir(), '.local', 'state', 'hawser'),
      runningInWindows: process.platform === 'win32',
    }),
  ],
  reviewers: [
    {
      name: 'my editor',
      show: ({ proposal, decide }) => {
        console.log(`${proposal.agent} proposes a change of ${proposal.path}`);
        void decide({ kind: 'rejected' }, proposal.revision);
      },
    },
  ],
  identity: { name: 'My editor', version: '1.0.0', pid: process.pid },
});
for (const { endpoints } of bridge.agents) console.log(`listening on ${endpoints.join(' ')}`);
process.once('exit', () => bridge.removeDiscovery());
if (process.stdin.isTTY) process.once('SIGINT', () => void bridge.close());
else await bridge.close();
