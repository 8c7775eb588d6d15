// The command of the conformance kit: has the window that runs already join the bridge of this test.
import { connect } from 'node:net';

const { HAWSER_HANDS = '', HAWSER_EDITOR_SOCKET } = process.env;
const hands = connect(HAWSER_HANDS);
hands.write(`${JSON.stringify({ folder: process.cwd(), socket: HAWSER_EDITOR_SOCKET })}\n`);
hands.resume();
hands.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
hands.on('close', () => process.exit());
process.on('SIGTERM', () => hands.end());
