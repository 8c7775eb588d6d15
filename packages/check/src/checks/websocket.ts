import { type Check, type Finding, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import {
  BINARY,
  CLOSE,
  type Frame,
  type FrameOptions,
  type Handshake,
  negotiateUpgrade,
  PING,
  PONG,
  type RawWebSocket,
  TEXT,
} from '../wires/raw-websocket.ts';
import { needing, type Row } from './builders.ts';
import { expectThat } from './expectations.ts';

const DATA = 'RFC 6455 §5.6 Data Frames';
const ping = JSON.stringify({ jsonrpc: '2.0', id: 'ws', method: 'ping' });

async function handshake(subject: Subject, headers = {}): Promise<Handshake> {
  if (subject.target.kind !== 'websocket') throw new NotApplicable('The server is not reached by WebSocket.');
  return await negotiateUpgrade(subject.target, subject.patience, headers);
}

type Talk = (socket: RawWebSocket, subject: Subject) => Promise<Finding | undefined>;

/** A check on a connection of its own. */
function websocket({ run, ...facts }: Row<{ run: Talk }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const upgrade = await handshake(subject);
      if (upgrade.kind === 'refused') throw new Error(`The upgrade was refused with HTTP ${upgrade.status}`);
      try {
        return await run(upgrade.socket, subject);
      } finally {
        upgrade.socket.close();
      }
    },
  };
}

/** An upgrade with these headers must be refused. */
function refusesUpgrade({ headers, expected, ...facts }: Row<{ headers: object; expected: string }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const upgrade = await handshake(subject, headers);
      if (upgrade.kind === 'refused') return undefined;
      upgrade.socket.close();
      return { seen: 'the connection opened', expected };
    },
  };
}

/** The first frame with this opcode. */
async function frameWith(socket: RawWebSocket, opcode: number, milliseconds: number): Promise<Frame | undefined> {
  for (;;) {
    const frame = await socket.next(milliseconds);
    if (frame === undefined || frame.opcode === opcode) return frame;
  }
}

const answered = (frame: Frame | undefined) => frame?.payload.toString().includes('"ws"') === true;

async function expectPong(socket: RawWebSocket, { patience }: Subject): Promise<Finding | undefined> {
  const frame = await frameWith(socket, TEXT, patience);
  return expectThat(
    answered(frame),
    () => (frame === undefined ? 'no answer' : shown(frame.payload.toString())),
    'an answer to ping',
  );
}

/** A frame that RFC 6455 forbids: the server must fail the connection. */
function fails({
  opcode,
  payload,
  options,
  ...facts
}: Row<{ opcode: number; payload: Uint8Array | string; options?: FrameOptions }>): Check {
  return websocket({
    ...facts,
    run: async (socket, { patience }) => {
      socket.send(opcode, payload, options);
      for (;;) {
        const frame = await socket.next(patience);
        if (frame?.opcode === CLOSE || (frame === undefined && socket.hasEnded)) return undefined;
        if (frame === undefined) return { seen: 'the connection stays open', expected: 'the connection is closed' };
      }
    },
  });
}

const NEEDS = ['websocket'] as const;

export const websocketChecks = needing(NEEDS, [
  websocket({
    id: 'ws-text-frames',
    title: 'Messages are sent as text frames',
    severity: 'error',
    spec: DATA,
    run: async (socket, { patience }) => {
      socket.send(TEXT, ping.replace('"ws"', '"frame"'));
      const frame = await socket.next(patience);
      return expectThat(
        frame?.opcode === TEXT,
        frame === undefined ? 'no frame' : `a frame with opcode ${frame.opcode}`,
        'a text frame',
      );
    },
  }),
  websocket({
    id: 'ws-fragments',
    title: 'A message in several frames is read',
    severity: 'error',
    spec: 'RFC 6455 §5.4 Fragmentation',
    run: async (socket, subject) => {
      socket.send(TEXT, ping.slice(0, 10), { isFinal: false });
      socket.send(0, ping.slice(10, 20), { isFinal: false });
      socket.send(0, ping.slice(20));
      return await expectPong(socket, subject);
    },
  }),
  websocket({
    id: 'ws-ping-within',
    title: 'A ping frame between the frames of a message is answered',
    severity: 'error',
    spec: 'RFC 6455 §5.4 Fragmentation',
    run: async (socket, subject) => {
      socket.send(TEXT, ping.slice(0, 10), { isFinal: false });
      socket.send(PING, 'within');
      const pong = await frameWith(socket, PONG, subject.patience);
      if (pong?.payload.toString() !== 'within') return { seen: 'no pong', expected: 'a pong frame with its data' };
      socket.send(0, ping.slice(10));
      return await expectPong(socket, subject);
    },
  }),
  websocket({
    id: 'ws-ping',
    title: 'A ping frame is answered with a pong frame and its data',
    severity: 'error',
    spec: 'RFC 6455 §5.5.2 Ping',
    run: async (socket, { patience }) => {
      socket.send(PING, 'hawser');
      const pong = await frameWith(socket, PONG, patience);
      return expectThat(
        pong?.payload.toString() === 'hawser',
        () => (pong === undefined ? 'no pong' : shown(pong.payload.toString())),
        'a pong with "hawser"',
      );
    },
  }),
  websocket({
    id: 'ws-close',
    title: 'A close frame is answered with one',
    severity: 'warning',
    spec: 'RFC 6455 §5.5.1 Close',
    run: async (socket, { patience }) => {
      socket.send(CLOSE, Buffer.from([0x03, 0xe8]));
      const frame = await frameWith(socket, CLOSE, patience);
      return frame === undefined ? { seen: 'no close frame', expected: 'a close frame' } : undefined;
    },
  }),
  fails({
    id: 'ws-invalid-utf8',
    title: 'A text that is not UTF-8 ends the connection',
    severity: 'warning',
    spec: 'RFC 6455 §8.1 Handling Errors in UTF-8-Encoded Data',
    opcode: TEXT,
    payload: Buffer.from([0x22, 0xff, 0x22]),
  }),
  fails({
    id: 'ws-unmasked',
    title: 'A frame without a mask ends the connection',
    severity: 'warning',
    spec: 'RFC 6455 §5.1 Overview',
    opcode: TEXT,
    payload: ping,
    options: { isMasked: false },
  }),
  fails({
    id: 'ws-reserved-bits',
    title: 'A frame with reserved bits ends the connection',
    severity: 'warning',
    spec: 'RFC 6455 §5.2 Base Framing Protocol',
    opcode: TEXT,
    payload: ping,
    options: { reservedBits: 2 },
  }),
  fails({
    id: 'ws-control-size',
    title: 'A ping frame over 125 bytes ends the connection',
    severity: 'warning',
    spec: 'RFC 6455 §5.5 Control Frames',
    opcode: PING,
    payload: 'x'.repeat(126),
  }),
  websocket({
    id: 'ws-binary',
    title: 'A binary frame is read, refused, or ends its connection, and no other',
    severity: 'warning',
    spec: DATA,
    run: async (socket, subject) => {
      const other = await handshake(subject);
      if (other.kind === 'refused') throw new NotApplicable('The server allows one connection.');
      socket.send(BINARY, Buffer.from([0, 1, 2, 3]));
      // An answer, or the end, shows that the server has read the binary frame.
      socket.send(TEXT, ping);
      await socket.next(subject.patience);
      other.socket.send(TEXT, ping);
      try {
        return await expectPong(other.socket, subject);
      } finally {
        other.socket.close();
      }
    },
  }),
  websocket({
    id: 'ws-whole-messages',
    title: 'Each text frame is a whole message',
    severity: 'error',
    spec: '2025-11-25 Transports §Custom Transports',
    run: async (socket, { patience }) => {
      for (const id of ['a', 'b', 'c']) socket.send(TEXT, JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
      for (let count = 0; count < 3; count += 1) {
        const text = (await frameWith(socket, TEXT, patience))?.payload.toString() ?? 'no frame';
        try {
          JSON.parse(text);
        } catch {
          return { seen: shown(text), expected: 'a JSON-RPC message in each frame' };
        }
      }
      return undefined;
    },
  }),
  refusesUpgrade({
    id: 'ws-origin',
    title: 'A foreign web page is refused',
    severity: 'warning',
    spec: 'RFC 6455 §10.2 Origin Considerations',
    headers: { Origin: 'http://evil.example' },
    expected: 'HTTP 403',
  }),
  refusesUpgrade({
    id: 'ws-version',
    title: 'Another version of the WebSocket protocol is refused',
    severity: 'info',
    spec: 'RFC 6455 §4.2.2 Sending the Server’s Opening Handshake',
    headers: { 'Sec-WebSocket-Version': '7' },
    expected: 'HTTP 426 or 400',
  }),
  {
    id: 'ws-plain-request',
    title: 'A request without an upgrade is refused',
    severity: 'info',
    spec: 'RFC 6455 §4.2.1 Reading the Client’s Opening Handshake',
    run: async (subject) => {
      const upgrade = await handshake(subject, { Connection: 'close', Upgrade: undefined });
      const isRefused = upgrade.kind === 'refused' && upgrade.status >= 400 && upgrade.status < 500;
      return expectThat(isRefused, () => shown(upgrade), 'HTTP 426, 400 or 404');
    },
  },
  websocket({
    id: 'ws-large-fragments',
    title: 'A message of 256 KiB in 64 frames is answered',
    severity: 'warning',
    spec: 'RFC 6455 §5.4 Fragmentation',
    run: async (socket, subject) => {
      const params = { _meta: { padding: 'x'.repeat(256 * 1024) } };
      const text = JSON.stringify({ jsonrpc: '2.0', id: 'ws', method: 'ping', params });
      const size = Math.ceil(text.length / 64);
      for (let from = 0; from < text.length; from += size) {
        socket.send(from === 0 ? TEXT : 0, text.slice(from, from + size), { isFinal: from + size >= text.length });
      }
      return await expectPong(socket, subject);
    },
  }),
]);
