import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTranscript, type Session, type Side } from '../packages/client/src/transcript.ts';
import { clients } from './transcript-clients.ts';
import { play } from './transcript-player.ts';
import { servers } from './transcript-servers.ts';
import { type Transport, transports } from './transcript-wires.ts';

const folder = new URL('transcripts/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.transcript$/, ''));

it('every transcript has a server or a client to be played with', () => {
  expect(names.toSorted()).toEqual([...Object.keys(servers), ...Object.keys(clients)].toSorted());
});

it.each(names)('a change in any expected line of %s fails its test', async (name) => {
  const [memory] = transports;
  for (const session of read(name)) {
    if (memory === undefined || !memory.carries(session, playerOf(name))) continue;
    for (const [index, line] of session.lines.entries()) {
      if (line.kind !== 'message' || line.from === playerOf(name)) continue;
      const planted = { ...line, text: JSON.stringify({ ...JSON.parse(line.text), planted: true }) };
      const lines = session.lines.with(index, planted);
      const found = `line ${line.number}: planted is missing, should be true`;
      await expect(perform({ ...session, lines }, name, memory)).rejects.toThrow(found);
    }
  }
});

describe.each(names)('%s', (name) => {
  for (const session of read(name)) {
    for (const transport of transports) {
      if (!transport.carries(session, playerOf(name))) continue;
      it(`${session.title} (${transport.name})`, () => perform(session, name, transport));
    }
  }
});

function read(name: string): Session[] {
  return parseTranscript(readFileSync(new URL(`${name}.transcript`, folder), 'utf8'));
}

/** The side that is not tested. */
function playerOf(name: string): Side {
  return Object.hasOwn(servers, name) ? 'client' : 'server';
}

async function perform(session: Session, name: string, transport: Transport): Promise<void> {
  const setup = servers[name]?.();
  if (setup !== undefined) {
    const wire = await transport.toServer((connection) => setup.server.connect(connection));
    await play(session, 'client', wire, setup.cues);
    return;
  }
  const { wire, connection } = await transport.toClient();
  await play(session, 'server', wire, clients[name]?.(connection));
}
