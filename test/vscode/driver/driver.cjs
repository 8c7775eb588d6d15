// Runs what a test sends within the extension host, and answers with the result. One line a message.
const { rmSync } = require('node:fs');
const { createServer } = require('node:net');
const { createInterface } = require('node:readline');
const vscode = require('vscode');

const AsyncFunction = (async () => {}).constructor;

exports.activate = async (context) => {
  const hawser = vscode.extensions.getExtension('hawser-dev.hawser');
  const before = performance.now();
  await hawser?.activate();
  globalThis.hawserActivation = performance.now() - before;
  const path = process.env.HAWSER_DRIVER;
  if (path === undefined) return;
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', async (line) => {
      const { id, code, arg } = JSON.parse(line);
      const answer = await new AsyncFunction('vscode', 'arg', code)(vscode, arg).then(
        (value) => ({ id, value }),
        (error) => ({ id, error: String(error?.stack ?? error) }),
      );
      if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  server.listen(path);
  context.subscriptions.push({ dispose: () => server.close() });
};
