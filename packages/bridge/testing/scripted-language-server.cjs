// A language server that misbehaves as its first argument says; JSON in the second one is merged into its capabilities.
// It appends what it receives to the file `received` in its folder.
const { appendFileSync } = require('node:fs');

const [mode = 'good', capabilities = '{}'] = process.argv.slice(2);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const publish = (uri, version, message) => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const diagnostics = message === undefined ? [] : [{ range, message, severity: 1 }];
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } });
};
if (mode === 'end-at-once') {
  process.stderr.write('not today\n');
  process.exit(2);
}
const alive = setInterval(() => {}, 1000);

const answers = {
  initialize: (id) => {
    if (mode === 'hang') return;
    if (mode === 'crash-at-start') {
      process.stderr.write('no licence found\n');
      process.exit(3);
    }
    if (mode === 'refuse') return send({ id, error: { code: -32_603, message: 'no project here' } });
    const synchronization = { textDocumentSync: 1, hoverProvider: true, ...JSON.parse(capabilities) };
    send({ id, result: { capabilities: synchronization, serverInfo: { name: 'scripted', version: '1.2.3' } } });
  },
  initialized: () => {
    if (mode === 'ask') {
      send({ id: 'a', method: 'workspace/configuration', params: { items: [{ section: 'x' }, { section: 'y' }] } });
      send({ id: 'b', method: 'workspace/applyEdit', params: { edit: { changes: {} } } });
      send({ id: 'c', method: 'window/workDoneProgress/create', params: { token: 1 } });
      send({ id: 'd', method: 'client/registerCapability', params: { registrations: [{ id: '1', method: 'x' }] } });
      send({ id: 'e', method: 'no/such/method', params: {} });
    }
  },
  'textDocument/didOpen': (_, { textDocument: { uri, version } }) => {
    if (mode === 'crash') process.exit(4);
    if (mode === 'print') return console.log('Welcome to the scripted language server');
    if (mode === 'huge') return process.stdout.write('Content-Length: 99999999999\r\n\r\n');
    if (mode === 'flood') {
      // It is not taken for one that has said all, however slow the machine is.
      send({ method: '$/progress', params: { token: 'flood', value: { kind: 'begin', title: 'flooding' } } });
      const more = () => {
        for (let count = 0; count < 100; count += 1) publish(uri, version, `flood ${count}`);
        process.stdout.write('', () => setImmediate(more));
      };
      return more();
    }
    if (mode === 'silent') return;
    // In two steps, with work announced in between.
    publish(uri, version);
    send({ method: '$/progress', params: { token: 't', value: { kind: 'begin', title: 'checking' } } });
    setTimeout(() => {
      publish(uri, version, 'found late');
      send({ method: '$/progress', params: { token: 't', value: { kind: 'end' } } });
    }, 300);
  },
  'textDocument/didChange': (_, { textDocument: { uri, version } }) => publish(uri, version, `version ${version}`),
  'textDocument/hover': (id) => {
    if (mode === 'crash-on-hover') process.exit(5);
    if (mode === 'silent') return;
    send({ id, result: { contents: 'a hover' } });
  },
  shutdown: (id) => {
    if (mode !== 'stay') send({ id, result: null });
  },
  exit: () => {
    if (mode !== 'stay') process.exit(0);
  },
};
if (mode === 'stay') process.on('SIGTERM', () => {});
process.stdin.on('end', () => mode !== 'stay' && clearInterval(alive));

let buffer = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(end, 0)).toString())?.[1]);
    if (end === -1 || buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
    buffer = buffer.subarray(end + 4 + length);
    appendFileSync('received', `${JSON.stringify(message)}\n`);
    if (Object.hasOwn(answers, message.method)) answers[message.method](message.id, message.params);
  }
});
