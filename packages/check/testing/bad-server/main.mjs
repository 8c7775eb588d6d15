// Servers that each break one rule: node main.mjs serve (HTTP and WebSocket, /RULE) or node main.mjs stdio RULE
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { Conversation, Dead } from './conversation.mjs';
import { handle } from './http.mjs';
import { acceptLaxly, LAX_RULES } from './raw-websocket.mjs';
import { speakOnStdio } from './stdio.mjs';

if (process.argv[2] === 'serve') serve();
else speakOnStdio(process.argv[3]);

function serve() {
  const server = createServer((request, response) => void handle(request, response));
  server.on('upgrade', (request, socket, head) => {
    const rule = request.url.slice(1);
    if (request.headers.origin !== undefined && rule !== 'ws-origin')
      return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    if (LAX_RULES.includes(rule)) return acceptLaxly(rule, request, socket);
    return accept(rule, request, socket, head);
  });
  server.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
}

function accept(rule, request, socket, head) {
  const breaks = (name) => rule === name;
  const acceptor = new WebSocketServer({
    noServer: true,
    skipUTF8Validation: breaks('ws-invalid-utf8'),
    ...(breaks('ws-large-fragments') && { maxPayload: 100_000 }),
  });
  acceptor.handleUpgrade(request, socket, head, (client) => converse(client, rule));
}

/** The clients of the rule ws-binary, which end together. */
const doomed = new Set();

function converse(socket, rule) {
  const breaks = (name) => rule === name;
  const conversation = new Conversation(rule);
  if (breaks('ws-binary')) doomed.add(socket);
  socket.on('error', () => {});
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      for (const client of breaks('ws-binary') ? doomed : [socket]) client.terminate();
      return undefined;
    }
    try {
      for (const answer of conversation.receive(String(data))) send(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Dead)) throw error;
      socket.terminate();
    }
    return undefined;
  });

  function send(text) {
    if (breaks('ws-text-frames') && text.includes('"frame"')) socket.send(Buffer.from(text));
    else if (breaks('ws-whole-messages') && text.includes('"b"')) {
      socket.send(text.slice(0, 5));
      socket.send(text.slice(5));
    } else socket.send(text);
  }
}
