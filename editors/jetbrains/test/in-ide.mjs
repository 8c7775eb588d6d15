// @ts-check
// In place of the editor's command in the conformance kit: opens this folder as a project of the IDE that runs already, because
// an IDE takes seconds to start. HAWSER_IDE_PORT is where dev.hawser.jetbrains.TestStarter listens.
import { connect } from 'node:net';

const socket = connect(Number(process.env.HAWSER_IDE_PORT), '127.0.0.1');
const variables = { PATH: process.env.PATH, HAWSER_EDITOR_SOCKET: process.env.HAWSER_EDITOR_SOCKET };
const order = { do: 'open', folder: process.cwd(), command: ['hawser', 'editor'], variables };
socket.write(`${JSON.stringify(order)}\n`);
socket.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
  for (const line of text.trim().split('\n')) {
    const { problem, closed } = JSON.parse(line);
    if (problem !== undefined) console.error(problem);
    if (problem !== undefined || closed) process.exit(closed ? 0 : 1);
  }
});
socket.on('error', ({ message }) => {
  console.error(message);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
process.on('SIGTERM', () => socket.write(`${JSON.stringify({ do: 'close' })}\n`));
