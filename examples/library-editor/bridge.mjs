// Serves an editor of your own to Claude Code: opens the file that is named, and ends with SIGTERM.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { claudeCodeAdapter, makeAccess, openBridge } from 'hawser';
import { pager } from './editor.mjs';

const folder = process.cwd();
const editor = pager([folder]);
const bridge = await openBridge({
  editor,
  access: makeAccess({ folders: [folder], home: homedir() }),
  agents: [
    claudeCodeAdapter({
      ideName: editor.name,
      lockFolder: join(homedir(), '.claude', 'ide'),
      stateFolder: join(homedir(), '.local', 'state', 'hawser'),
      runningInWindows: process.platform === 'win32',
    }),
  ],
  identity: { name: 'pager', version: '1.0.0', pid: process.pid },
});
process.once('exit', () => bridge.removeDiscovery());
process.once('SIGTERM', () => void bridge.close());
await editor.openFile({ path: resolve(process.argv[2] ?? 'README.md') });
for (const { discoveryFiles } of bridge.agents) console.log(discoveryFiles[0]);
