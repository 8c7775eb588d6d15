import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { openNeovim } from './neovim.mjs';

/** A Neovim that has started its bridge, and an agent that has come through its lock file. */
export async function openServed(neovim, setup) {
  const editor = await openNeovim(neovim);
  await editor.lua(`require('hawser').setup(${setup}) require('hawser').start()`);
  await editor.until("require('hawser').status().phase == 'running'");
  const { lock, port } = await editor.lua("return require('hawser').status()");
  const headers = { 'X-Claude-Code-Ide-Authorization': JSON.parse(readFileSync(lock, 'utf8')).authToken };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ['mcp'], { headers });
  await once(socket, 'open');
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const clientInfo = { name: 'bench', version: '1.0.0' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await once(socket, 'message');
  send({ method: 'notifications/initialized' });
  await editor.until("require('hawser').is_connected()");
  return {
    ...editor,
    send,
    socket,
    async close() {
      socket.terminate();
      await editor.close();
    },
  };
}
