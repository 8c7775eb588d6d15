import { memoryPair, Server, type ServerOptions, type ServerSession } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';
import { describe, expect, it } from 'vitest';
import { Mailbox } from '../mailbox.ts';
import { transports } from '../transcript-wires.ts';

const clientInfo = { name: 'claude-code', version: '1.0.0' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: { sampling: {} }, clientInfo },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

describe.each(transports.map((transport) => [transport.name, transport] as const))(
  'a session over %s',
  (_name, transport) => {
    async function begin(options: ServerOptions = {}) {
      const server = new Server({ name: 's', version: '1' }, options);
      server.tool({ name: 'hello' }, () => 'hello');
      const sessions = new Mailbox<ServerSession>();
      const wire = await transport.toServer((connection) => sessions.put(server.connect(connection)));
      const session = await sessions.take();
      const ask = (message: object) => {
        wire.send(JSON.stringify(message));
        return wire.receive();
      };
      return { server, session, wire, ask };
    }

    it('goes from waiting over initializing and ready to closed, with an event for each', async () => {
      const told: string[] = [];
      const { session, wire, ask } = await begin({ onState: (_session, state) => told.push(state) });
      const heard: string[] = [];
      const forget = session.onStateChange((state) => heard.push(state));
      expect(session.state).toBe('waiting');

      await ask(initialize);
      expect(session.state).toBe('initializing');

      wire.send(JSON.stringify(initialized));
      await ask({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(session.state).toBe('ready');

      forget();
      await Promise.all([session.closed, wire.close()]);
      expect(session.state).toBe('closed');
      expect(told).toEqual(['waiting', 'initializing', 'ready', 'closed']);
      expect(heard).toEqual(['initializing', 'ready']);
    });

    it('keeps what the client said about itself', async () => {
      const { session, wire, ask } = await begin();
      expect(session.clientInfo).toBeUndefined();
      expect(session.protocolVersion).toBeUndefined();
      await ask(initialize);
      expect(session.clientInfo).toEqual(clientInfo);
      expect(session.clientCapabilities).toEqual({ sampling: {} });
      expect(session.protocolVersion).toBe('2025-03-26');
      await wire.close();
    });

    it('does not become ready by notifications/initialized alone', async () => {
      const { session, wire, ask } = await begin();
      wire.send(JSON.stringify(initialized));
      await ask({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(session.state).toBe('waiting');
      await wire.close();
    });

    it('admits tools before notifications/initialized when the server is told to', async () => {
      const { wire, ask } = await begin({ admitBeforeInitialized: true });
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello' } };
      expect(await ask(call)).toMatchObject({
        error: { code: -32600, message: 'Not initialized: send initialize before tools/call' },
      });
      await ask(initialize);
      expect(await ask(call)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: 'hello' }] },
      });
      await wire.close();
    });

    it('is told nothing before it is ready', async () => {
      const { server, session, wire, ask } = await begin();
      await ask(initialize);
      server.notifyAll('selection_changed', {});
      expect(() => session.notify('selection_changed', {})).toThrow(
        'Cannot send selection_changed: the session is initializing, not ready',
      );
      expect(await ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
      expect(await wire.close()).toEqual([]);
    });

    it('ends with its client: it leaves the server, and the tools it called are aborted', async () => {
      const { server, session, wire, ask } = await begin({ limits: { drainTimeout: 1 } });
      const started = new Mailbox<AbortSignal>();
      server.tool({ name: 'wait' }, (_args, { signal }) => {
        started.put(signal);
        return new Promise(() => {});
      });
      await ask(initialize);
      wire.send(JSON.stringify(initialized));
      wire.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }));
      const signal = await started.take();
      expect(server.sessions.has(session)).toBe(true);

      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.all([aborted, session.closed, wire.close()]);
      expect(server.sessions.size).toBe(0);
    });
  },
);

describe('a client', () => {
  it('is ready once it has sent notifications/initialized, and closed when the server is', async () => {
    const server = new Server({ name: 's', version: '1' });
    const [near, far] = memoryPair({ copy: 'json' });
    const theirs = server.connect(far);
    const session = await new Client(clientInfo, { negotiation: 'initialize' }).connect(near);
    expect(session.state).toBe('ready');
    await session.ping();
    expect(theirs.state).toBe('ready');
    await server.close('the editor quits');
    expect((await session.closed).message).toBe('Closed by the peer: the editor quits');
    expect(session.state).toBe('closed');
    await expect(session.ping()).rejects.toThrow('the editor quits');
  });
});
