import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket, WebSocketServer } from 'ws';
import { bridgeUrl } from './build.mjs';

/** A bridge for Claude Code on the folder editor, in this process. */
export async function openStage(reviewer) {
  const { claudeCodeAdapter, makeAccess, openBridge, workspaceEditor } = await import(bridgeUrl);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-bench-')));
  const folder = join(home, 'work');
  mkdirSync(folder);
  const editor = workspaceEditor({ folders: [folder] });
  const adapter = claudeCodeAdapter({
    stateFolder: join(home, 'state'),
    port: undefined,
    lockFolder: join(home, 'ide'),
    ideName: 'Hawser',
    runningInWindows: false,
  });
  const bridge = await openBridge({
    editor,
    agents: [adapter],
    reviewers: reviewer && [reviewer],
    access: makeAccess({ folders: [folder], home }),
    identity: { name: 'Hawser', version: '0', pid: process.pid },
  });
  const [agent] = bridge.agents;
  return {
    editor,
    folder,
    address: agent.endpoints[0],
    token: JSON.parse(readFileSync(agent.discoveryFiles[0], 'utf8')).authToken,
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
  const waiting = new Map();
  // Several messages can arrive at once, so each is looked at as it comes.
  socket.on('message', (data) => {
    if (waiting.size === 0) return;
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const request = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  const clientInfo = { name: 'bench', version: '0' };
  await request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await request('ready', 'ping', {});
  return { socket, request };
}

/** @param {import('ws').WebSocketServer} server */
export function addressOf(server) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `ws://127.0.0.1:${port}`;
}

/** A WebSocket server and its one client, in this process; `send` gives the milliseconds until a text has arrived. */
export async function openBareSocket() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = new WebSocket(addressOf(server));
  const [[connection]] = await Promise.all([accepted, once(client, 'open')]);
  return {
    async send(text) {
      const arrived = once(client, 'message');
      const began = performance.now();
      connection.send(text);
      await arrived;
      return performance.now() - began;
    },
    close() {
      client.terminate();
      server.close();
    },
  };
}
