// An agent in a process of its own: connects to a WebSocket server, and reports when each notification has arrived.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { openAgent } from './stage.mjs';

const [address, token] = process.argv.slice(2);
let socket;
if (token === undefined) {
  socket = new WebSocket(address);
  await once(socket, 'open');
} else {
  ({ socket } = await openAgent(address, token));
}
// The clock is the same in every process of the machine.
socket.on('message', () => process.send?.(String(process.hrtime.bigint())));
process.send?.('ready');
process.once('disconnect', () => process.exit());
