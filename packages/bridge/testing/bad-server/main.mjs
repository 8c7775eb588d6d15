// Servers that each break one rule: node main.mjs serve (HTTP and WebSocket, /RULE) or node main.mjs stdio RULE
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { Conversation, Dead } from './conversation.mjs';
import { handle } from './http.mjs';

if (process.argv[2] === 'serve') serve();
else speakOnStdio(process.argv[3]);

function serve() {
  const server = createServer((request, response) => void handle(request, response));
  new WebSocketServer({ server }).on('connection', (socket, { url }) => {
    const conversation = new Conversation(url.slice(1));
    socket.on('message', (data) => {
      try {
        for (const answer of conversation.receive(String(data))) socket.send(JSON.stringify(answer));
      } catch (error) {
        if (!(error instanceof Dead)) throw error;
        socket.terminate();
      }
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
}

function speakOnStdio(rule) {
  const breaks = (name) => rule === name;
  const conversation = new Conversation(rule);
  if (breaks('stdio-stdout')) console.log('Server started');
  let rest = '';
  process.stdin.setEncoding(breaks('stdio-split') ? 'latin1' : 'utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    let requests = 0;
    for (const line of lines) {
      if (breaks('stdio-joined') && line.includes('"two"') && requests > 0) continue;
      requests += 1;
      receive(line);
    }
  });
  process.stdin.on('end', () => {
    if (breaks('stdio-exit')) setInterval(() => {}, 1000);
    if (breaks('stdio-exit-code')) process.exitCode = 3;
  });

  function receive(line) {
    if (line.trim() === '') return breaks('stdio-blank-line') ? process.exit(1) : undefined;
    if (line.endsWith('\r') && breaks('stdio-crlf')) return;
    if (line.includes('\ufffd') && breaks('stdio-invalid-utf8')) process.exit(1);
    if (line.includes('"last"') && breaks('stdio-answers-before-exit')) return process.exit(0);
    try {
      for (const answer of conversation.receive(line)) process.stdout.write(`${JSON.stringify(answer)}\n`);
    } catch (error) {
      if (!(error instanceof Dead)) throw error;
      process.exit(1);
    }
  }
}
