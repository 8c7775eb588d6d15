// A WebSocket that is lax about frames, for the rules that a proper implementation can't be made to break.
import { createHash } from 'node:crypto';
import { Conversation } from './conversation.mjs';

export const LAX_RULES = [
  'ws-fragments',
  'ws-ping',
  'ws-ping-within',
  'ws-close',
  'ws-unmasked',
  'ws-reserved-bits',
  'ws-control-size',
  'ws-version',
];

export function acceptLaxly(rule, { headers }, socket) {
  if (headers['sec-websocket-version'] !== '13' && rule !== 'ws-version')
    return socket.end('HTTP/1.1 426 Upgrade Required\r\n\r\n');
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`,
  );
  const conversation = new Conversation(rule);
  let buffer = Buffer.alloc(0);
  let text;
  let frames = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let frame = readFrame(buffer); frame !== undefined; frame = readFrame(buffer)) {
      buffer = buffer.subarray(frame.size);
      receive(frame);
    }
  });

  function receive({ opcode, isFinal, payload, isMasked, reserved }) {
    // Only the rule's own fault is tolerated.
    const isBad =
      (!isMasked && rule !== 'ws-unmasked') ||
      (reserved && rule !== 'ws-reserved-bits') ||
      (opcode > 7 && payload.length > 125 && rule !== 'ws-control-size');
    if (isBad) return socket.destroy();
    if (opcode === 9)
      return rule === (text === undefined ? 'ws-ping' : 'ws-ping-within') ? undefined : write(10, payload);
    if (opcode === 8) {
      if (rule !== 'ws-close') write(8, payload);
      return undefined;
    }
    if (opcode === 2 || (opcode === 1 && payload.includes(0xff))) return socket.destroy();
    text = (text ?? '') + payload;
    frames += 1;
    if (!isFinal) return undefined;
    const whole = text;
    const count = frames;
    text = undefined;
    frames = 0;
    if (rule === 'ws-fragments' && count === 3) return undefined;
    for (const answer of conversation.receive(whole)) write(1, Buffer.from(JSON.stringify(answer)));
    return undefined;
  }

  function write(opcode, payload) {
    const head =
      payload.length < 126
        ? Buffer.from([0x80 | opcode, payload.length])
        : Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 255]);
    socket.write(Buffer.concat([head, payload]));
  }
}

function readFrame(buffer) {
  if (buffer.length < 2) return undefined;
  const short = buffer[1] & 0x7f;
  const isMasked = (buffer[1] & 0x80) !== 0;
  const sizeEnd = short < 126 ? 2 : short === 126 ? 4 : 10;
  const start = sizeEnd + (isMasked ? 4 : 0);
  if (buffer.length < start) return undefined;
  const length = short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
  if (buffer.length < start + length) return undefined;
  const mask = buffer.subarray(sizeEnd, start);
  const bytes = buffer.subarray(start, start + length);
  const payload = isMasked ? Buffer.from(bytes.map((byte, index) => byte ^ mask[index % 4])) : bytes;
  return {
    opcode: buffer[0] & 0x0f,
    isFinal: (buffer[0] & 0x80) !== 0,
    reserved: (buffer[0] & 0x70) !== 0,
    isMasked,
    payload,
    size: start + length,
  };
}
