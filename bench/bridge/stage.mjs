import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { bridgeUrl } from './build.mjs';

/** A bridge with the claude-code adapter on an embedded editor, in this process. */
export async function openStage(reviewer) {
  const { claudeCodeAdapter, makeAccess, openBridge, workspaceEditor } = await import(bridgeUrl);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-bench-')));
  const folder = join(home, 'work');
  mkdirSync(folder);
  const editor = workspaceEditor({ folders: [folder] });
  const options = { ideName: 'Hawser', lockFolder: join(home, 'ide'), stateFolder: join(home, 'state') };
  const bridge = await openBridge({
    editor,
    access: makeAccess({ folders: [folder], home }),
    agents: [claudeCodeAdapter({ ...options, runningInWindows: false })],
    reviewers: reviewer && [reviewer],
    identity: { name: 'Hawser', version: '0', pid: process.pid },
  });
  const [{ endpoints, discoveryFiles }] = bridge.agents;
  return {
    editor,
    folder,
    address: endpoints[0],
    token: JSON.parse(readFileSync(discoveryFiles[0], 'utf8')).authToken,
    async close() {
      await bridge.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A client that has been through the handshake; `send` is for requests, frames come as events of the socket. */
export async function openAgent(address, token) {
  const socket = new WebSocket(address, 'mcp', { headers: { 'X-Claude-Code-Ide-Authorization': token } });
  await once(socket, 'open');
  const answer = async (id) => {
    for (;;) {
      const [data] = await once(socket, 'message');
      const message = JSON.parse(String(data));
      if (message.id === id) return message;
    }
  };
  const request = (id, method, params) => {
    const answered = answer(id);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answered;
  };
  const clientInfo = { name: 'bench', version: '0' };
  await request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await request('ready', 'ping', {});
  return { socket, request };
}
