import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import { listenWebSocket, type WebSocketListener } from './listen.ts';
import { keepWebSocket, type ReconnectOptions } from './reconnect.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

async function listen(port = 0): Promise<WebSocketListener> {
  const listener = await listenWebSocket({ port, accept: (connection) => connection.start(new Recorder()) });
  closing.push(listener);
  return listener;
}

/** Keeps a socket open and lets a test wait for what happens to it. */
function keep(url: string, options: Partial<ReconnectOptions> = {}) {
  const events = new EventTarget();
  const delays: (number | undefined)[] = [];
  const kept = keepWebSocket(url, {
    initialDelay: 5,
    maxDelay: 20,
    connected: (connection: Connection) => {
      connection.start(new Recorder());
      events.dispatchEvent(new Event('connected'));
    },
    lost: (_reason, delay) => {
      delays.push(delay);
      events.dispatchEvent(new Event('lost'));
    },
    ...options,
  });
  closing.push(kept);
  return { kept, events, delays };
}

describe('keepWebSocket', () => {
  it('connects again when the server comes back at the same port', async () => {
    const { url, port, close } = await listen();
    const { events } = keep(url);
    await once(events, 'connected');
    const lost = once(events, 'lost');
    await close();
    await lost;
    await once(events, 'lost'); // an attempt while no server listens
    const back = once(events, 'connected');
    await listen(port);
    await back;
  });

  it('waits longer after each failure, up to the maximum, and gives up after the attempts allowed', async () => {
    const { url, close } = await listen();
    await close();
    const { events, delays } = keep(url, { attempts: 5 });
    while (delays.at(-1) !== undefined || delays.length === 0) await once(events, 'lost');
    expect(delays).toHaveLength(5);
    const bounds = [5, 10, 20, 20];
    for (const [n, delay] of delays.slice(0, 4).entries()) {
      expect(delay).toBeGreaterThanOrEqual((bounds[n] as number) / 2);
      expect(delay).toBeLessThanOrEqual(bounds[n] as number);
    }
  });

  const fail = (what: string) => {
    throw new Error(`${what} failed`);
  };

  it('what its callbacks throw goes to onError, and it goes on', async () => {
    const { url } = await listen();
    const errors: string[] = [];
    const events = new EventTarget();
    const kept = keepWebSocket(url, {
      initialDelay: 5,
      connected: () => fail('connected'),
      lost: () => fail('lost'),
      onError: ({ message }) => {
        errors.push(message);
        events.dispatchEvent(new Event('error'));
      },
    });
    closing.push(kept);
    while (errors.length < 4) await new Promise((resolve) => events.addEventListener('error', resolve, { once: true }));
    expect(errors).toEqual(['connected failed', 'lost failed', 'connected failed', 'lost failed']);
  });

  it('what its callbacks reject with goes to onError, and it goes on', async () => {
    const errors: string[] = [];
    const listener = await listen();
    const { events } = keep(listener.url, {
      connected: async (connection) => {
        connection.start(new Recorder());
        fail('connected');
      },
      lost: async () => fail('lost'),
      onError: ({ message }) => {
        errors.push(message);
        events.dispatchEvent(new Event(message));
      },
    });
    await once(events, 'connected failed');
    const lost = once(events, 'lost failed');
    await listener.close();
    await lost;
    expect(errors).toEqual(['connected failed', 'lost failed']);
  });

  it('closing it ends the connection and all attempts', async () => {
    const { url } = await listen();
    const { kept, events, delays } = keep(url);
    await once(events, 'connected');
    await kept.close();
    expect(delays).toEqual([]);
    const { kept: dialling } = keep('ws://127.0.0.1:1/');
    await dialling.close();
  });
});
