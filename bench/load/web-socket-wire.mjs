import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

// Written by hand because a general WebSocket client costs as much as the servers measured with it.
const FIN = 0x80;
const MASKED = 0x80;
const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 };
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);
const END_OF_HEADERS = '\r\n\r\n';

/** Opens a WebSocket as a wire; see openStdioWire for what a wire does. */
export async function openWebSocketWire(url) {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const rest = await upgrade(socket, url);
  /** @type {{ onText: (text: string) => void, onPause: () => void, onEnd: (error: Error) => void, [name: string]: any }} */
  const wire = {
    onText: () => {},
    onPause: () => {},
    onEnd: () => {},
    send: (text) => socket.write(maskedFrame(OPCODE.text, Buffer.from(text))),
    prepare: (beforeId, afterId) => prepare(socket, beforeId, afterId),
    close: async () => socket.destroy(),
  };
  readFrames(socket, rest, wire);
  socket.on('error', (error) => wire.onEnd(error));
  socket.on('close', () => wire.onEnd(new Error('The server closed the WebSocket')));
  return wire;
}

async function upgrade(socket, url) {
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}${END_OF_HEADERS}`,
  );
  let received = Buffer.alloc(0);
  while (!received.includes(END_OF_HEADERS)) {
    const [chunk] = await once(socket, 'data');
    received = Buffer.concat([received, chunk]);
  }
  const end = received.indexOf(END_OF_HEADERS);
  if (!received.toString('latin1').startsWith('HTTP/1.1 101')) {
    throw new Error(`The server refused the WebSocket: ${received.toString('latin1', 0, end).split('\r\n')[0]}`);
  }
  return received.subarray(end + END_OF_HEADERS.length);
}

function readFrames(socket, rest, wire) {
  let unread = rest;
  socket.on('data', (chunk) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    let at = 0;
    for (;;) {
      if (unread.length < at + 2) break;
      let start = at + 2;
      let length = unread[at + 1];
      if (length === 126) {
        if (unread.length < at + 4) break;
        length = unread.readUInt16BE(at + 2);
        start = at + 4;
      } else if (length === 127) {
        if (unread.length < at + 10) break;
        length = Number(unread.readBigUInt64BE(at + 2));
        start = at + 10;
      }
      if (unread.length < start + length) break;
      const first = unread[at];
      at = start + length;
      if (first === (FIN | OPCODE.text)) wire.onText(unread.utf8Slice(start, at));
      else if (first === (FIN | OPCODE.ping)) socket.write(maskedFrame(OPCODE.pong, unread.subarray(start, at)));
      else if (first === (FIN | OPCODE.close)) socket.end();
      else throw new Error(`Unexpected WebSocket frame: first byte ${first}`);
    }
    unread = unread.subarray(at);
    wire.onPause();
  });
}

function maskedFrame(opcode, payload) {
  const { length } = payload;
  if (length > 0xffff) throw new Error(`The load generator sends no WebSocket messages of ${length} bytes`);
  const header =
    length < 126 ? [FIN | opcode, MASKED | length] : [FIN | opcode, MASKED | 126, length >> 8, length & 255];
  const masked = payload.map((byte, index) => byte ^ MASK[index & 3]);
  return Buffer.concat([Buffer.from(header), MASK, masked]);
}

/** Only the digits of the id change from frame to frame, so the rest is masked once. */
function prepare(socket, beforeId, afterId) {
  const idLength = 7;
  const payload = Buffer.from(`${beforeId}${'0'.repeat(idLength)}${afterId}`);
  const template = maskedFrame(OPCODE.text, payload);
  const payloadStart = template.length - payload.length;
  const idStart = Buffer.byteLength(beforeId);
  return (firstId, count) => {
    const frames = Buffer.allocUnsafe(template.length * count);
    for (let index = 0; index < count; index++) {
      const start = index * template.length;
      template.copy(frames, start);
      let digits = firstId + index;
      for (let place = idStart + idLength - 1; place >= idStart; place--) {
        frames[start + payloadStart + place] = (0x30 + (digits % 10)) ^ MASK[place & 3];
        digits = Math.trunc(digits / 10);
      }
    }
    socket.write(frames);
  };
}
