// Serves the current folder to scripts that use curl. Prints the path of the file with the address and the token.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeAccess, openBridge, workspaceEditor } from 'hawser';
import { curlAdapter } from './adapter.mjs';

const folder = process.cwd();
const editor = workspaceEditor({ folders: [folder] });
const bridge = await openBridge({
  editor,
  access: makeAccess({ folders: [folder], home: homedir() }),
  agents: [curlAdapter({ file: join(folder, '.curl-bridge.json') })],
  identity: { name: 'My editor', version: '1.0.0', pid: process.pid },
});
const [path] = process.argv.slice(2);
if (path !== undefined) await editor.openFile({ path: join(folder, path) });
process.once('exit', () => bridge.removeDiscovery());
process.once('SIGTERM', () => void bridge.close());
for (const { discoveryFiles } of bridge.agents) console.log(discoveryFiles[0]);
