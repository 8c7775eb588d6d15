// What `hawser tools --json` does, by hand: node bench/bridge/bare-client.mjs COMMAND…
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const clientInfo = { name: 'bare', version: '1.0.0' };
const steps = {
  1: () =>
    send({ id: 2, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } }),
  2: () => {
    send({ method: 'notifications/initialized' });
    send({ id: 3, method: 'tools/list' });
  },
  3: ({ result }) => {
    process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    server.stdin.end();
  },
};
let unfinished = '';
server.stdout.setEncoding('utf8').on('data', (chunk) => {
  const lines = (unfinished + chunk).split('\n');
  unfinished = lines.pop() ?? '';
  for (const line of lines) {
    const message = JSON.parse(line);
    steps[message.id]?.(message);
  }
});
// First whether the server is one without sessions, as a client must that knows both kinds.
send({ id: 1, method: 'server/discover' });
