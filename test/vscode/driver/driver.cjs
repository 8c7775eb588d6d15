// Runs what a test sends within the extension host, and answers with the result. One line a message.
const { renameSync, rmSync } = require('node:fs');
const Module = require('node:module');
const { createServer } = require('node:net');
const { createInterface } = require('node:readline');
const vscode = require('vscode');

const AsyncFunction = (async () => {}).constructor;

exports.activate = async (context) => {
  const hawser = vscode.extensions.getExtension('hawser-dev.hawser');
  if (hawser !== undefined && !hawser.isActive) {
    measureActivation(hawser.extensionPath);
    await hawser.activate();
  }
  const path = process.env.HAWSER_DRIVER;
  if (path === undefined) return;
  rmSync(`${path}.new`, { force: true });
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
  // A socket has its name before it can be connected to.
  server.listen(`${path}.new`, () => renameSync(`${path}.new`, path));
  context.subscriptions.push({ dispose: () => server.close() });
};

/** What the extension host's thread spends on loading the extension and on its `activate`, whatever else the machine does. */
function measureActivation(folder) {
  let spent = 0;
  const measured = (act) => {
    const before = process.threadCpuUsage();
    const result = act();
    const { user, system } = process.threadCpuUsage(before);
    spent += (user + system) / 1000;
    globalThis.hawserActivationMs = spent;
    return result;
  };
  const load = Module._load;
  Module._load = function (name, ...rest) {
    if (!String(name).startsWith(folder)) return load.call(this, name, ...rest);
    Module._load = load;
    const { activate, ...others } = measured(() => load.call(this, name, ...rest));
    return { ...others, activate: (...args) => measured(() => activate(...args)) };
  };
}
