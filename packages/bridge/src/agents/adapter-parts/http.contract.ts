import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, agentOn } from '../../../testing/agent.ts';
import { drivers } from '../../../testing/dialects.ts';
import { type HttpTarget, type HttpWire, httpWire, placeOf, rawRequest } from '../../../testing/http-agent.ts';
import { type AdapterUnderTest, addressOf, lockOf, Stage } from '../../../testing/stage.ts';
import type { OpenAdapter } from '../../agent.ts';

const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const MIB = 1024 * 1024;

/** What every adapter does that agents reach over HTTP. `underTest` must count agents as gone after 50 ms. */
export function describeHttpAdapter(name: string, underTest: AdapterUnderTest, patient: AdapterUnderTest): void {
  describe(`${name}, over HTTP`, () => {
    const driver = drivers[underTest.dialect];
    let stage: Stage;
    let adapter: OpenAdapter;
    let target: HttpTarget;

    const begin = async (under: AdapterUnderTest) => {
      stage = new Stage(under);
      stage.file('a.ts', 'one\n');
      adapter = await stage.openAdapter();
      target = driver.target?.(addressOf(adapter), lockOf(adapter)) as HttpTarget; // it is one of the drivers that have it
    };
    /** A proposal that is on the user's screen. */
    const proposed = async (agent: Agent) => {
      const view = stage.user.next();
      const diff = driver.diff(join(stage.folder, 'a.ts'), 'new\n', 'tab');
      const outcome = driver.outcome(agent, diff, agent.begin('tools/call', diff).answer);
      outcome.catch(() => {});
      return { ...(await view), outcome };
    };

    describe('refuses', () => {
      let agent: Agent;

      beforeEach(async () => {
        await begin(underTest);
        agent = await stage.agent(adapter);
      });

      // Whatever was refused, others are unharmed, and it left no client.
      afterEach(async () => {
        await agent.settled();
        await expect.poll(() => adapter.clients()).toHaveLength(1);
      });

      const scheme = () => target.authorization.split(' ')[0] as string;
      const token = () => target.authorization.split(' ')[1] as string;

      it('a token that is wrong, missing or under another word, with 401 and why', async () => {
        const wrong = [`${scheme()} wrong`, `${scheme()} `, scheme(), token(), `Basic ${token()}`, `${token()}x`, ''];
        for (const authorization of wrong) {
          const { status, headers, text } = await rawRequest(
            { ...target, authorization },
            { method: 'POST', body: ping(1) },
          );
          expect([authorization, status, headers['www-authenticate']]).toEqual([authorization, 401, scheme()]);
          expect(JSON.parse(text).error.message).toBe('Unauthorized: the token is missing or wrong');
        }
      });

      it('another path, another method, and a stream without a session', async () => {
        expect(await rawRequest(target, { method: 'POST', path: '/', body: ping(1) })).toMatchObject({
          status: 404,
          text: 'MCP is served at /mcp\n',
        });
        expect((await rawRequest(target, { method: 'PUT', body: ping(1) })).status).toBe(405);
        expect((await rawRequest(target, { method: 'GET' })).status).toBe(405);
      });

      it('a request without a session, and one of a session that there is not', async () => {
        const none = await rawRequest(target, { method: 'POST', body: ping(1) });
        expect(none.status).toBe(400);
        expect(JSON.parse(none.text).error.message).toBe('Mcp-Session-Id is missing: send initialize first');
        const headers = { 'Mcp-Session-Id': 'made-up' };
        for (const method of ['POST', 'DELETE']) {
          const body = method === 'POST' ? { body: ping(1) } : {};
          expect((await rawRequest(target, { method, headers, ...body })).status).toBe(404);
        }
      });

      it('what is not JSON, and a body above the limit', async () => {
        const malformed = await rawRequest(target, { method: 'POST', body: '{"jsonrpc":' });
        expect([malformed.status, JSON.parse(malformed.text).error.code]).toEqual([400, -32_700]);
        const headers = { 'Content-Length': String(17 * MIB) };
        const large = await rawRequest(target, { method: 'POST', headers, body: '{' });
        expect(large.status).toBe(413);
        expect(JSON.parse(large.text).error.message).toContain(`${16 * MIB} bytes`);
      });

      it('half a request, without a word to others', async () => {
        const { host, port, socketPath } = {
          host: undefined,
          port: undefined,
          socketPath: undefined,
          ...placeOf(target),
        };
        const halves = ['POST /mcp HTT', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"half'];
        for (const half of halves) {
          const socket = socketPath === undefined ? connect({ host, port: Number(port) }) : connect(socketPath);
          await once(socket, 'connect');
          socket.end(half);
          socket.resume();
          await once(socket, 'close');
        }
      });

      it('connections without a token that would take all places', async () => {
        const place = placeOf(target);
        const sockets: Socket[] = [];
        for (let count = 0; count < 520; count += 1) {
          const socket = connect(
            'socketPath' in place ? { path: String(place.socketPath) } : { ...place, port: Number(place.port) },
          );
          sockets.push(socket.on('error', () => {}));
          await once(socket, 'connect');
        }
        const late = await stage.agent(adapter);
        late.close();
        for (const socket of sockets) socket.destroy();
      });

      it('a stateless request, as a server that knows sessions alone', async () => {
        const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
        const headers = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' };
        const { status, text } = await rawRequest(target, { method: 'POST', headers, body });
        const message = 'Method not found: server/discover. This server needs a session; send initialize first';
        expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: '2.0', id: 1, error: { code: -32_601, message } }]);
      });
    });

    it('a client that opens many sessions at once ends no session that is in use', async () => {
      await begin(patient);
      const agent = await stage.agent(adapter);
      const { decide, outcome } = await proposed(agent);
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      for (let round = 0; round < 20; round += 1) {
        const opened = Array.from({ length: 10 }, () => rawRequest(target, { method: 'POST', body }));
        for (const { status } of await Promise.all(opened)) expect(status).toBe(200);
      }
      await agent.settled();
      expect(adapter.clients().length).toBeLessThanOrEqual(129);
      await decide({ kind: 'rejected' });
      expect(await outcome).toEqual({ kind: 'rejected' });
    });

    describe('for an agent that leaves', () => {
      const connected = async () => {
        const wire = httpWire(target);
        const agent = agentOn(wire, underTest.dialect);
        await agent.initialize();
        return { wire, agent };
      };
      const leave = async (leaving: (wire: HttpWire) => unknown) => {
        const { wire, agent } = await connected();
        const { signal } = await proposed(agent);
        const withdrawn = once(signal, 'abort');
        await leaving(wire);
        await withdrawn;
        expect(adapter.clients()).toEqual([]);
        wire.drop();
      };

      it('withdraws its proposals at once when it deletes its session', async () => {
        await begin(patient);
        await leave((wire) => wire.deleteSession());
      });

      it('withdraws them when its connections close', async () => {
        await begin(underTest);
        await leave((wire) => wire.drop());
      });

      it('withdraws them, too, if it had no stream and its request was not answered', async (context) => {
        if (driver.answers !== 'when decided') return context.skip('its request is answered at once');
        await begin(underTest);
        const wire = httpWire(target, { stream: 'none' });
        const agent = agentOn(wire, underTest.dialect);
        await agent.initialize();
        const { signal } = await proposed(agent);
        const withdrawn = once(signal, 'abort');
        wire.drop();
        await withdrawn;
      });

      it('keeps them while it opens a new stream, and sends there what it missed', async (context) => {
        const { selectionChanged } = driver;
        if (selectionChanged === undefined) return context.skip('nothing is sent that it could miss');
        await begin(patient);
        const { wire, agent } = await connected();
        const { decide, signal, outcome } = await proposed(agent);
        await wire.dropStream();
        await stage.editor.openFile({ path: join(stage.folder, 'a.ts') });
        const selected = agent.notification(selectionChanged, (params) => JSON.stringify(params).includes('a.ts'));
        await wire.listen();
        await selected;
        expect(signal.aborted).toBe(false);
        decide({ kind: 'rejected' });
        expect(await outcome).toEqual({ kind: 'rejected' });
        wire.drop();
      });

      it('waits longer if it has had no stream yet', async () => {
        await begin(underTest);
        const wire = httpWire(target);
        const agent = agentOn(wire, underTest.dialect);
        await agent.request('initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        });
        const late = await stage.agent(adapter);
        late.close();
        // Its session has ended by the same timer that would have ended the other.
        await expect.poll(() => adapter.clients()).toHaveLength(1);
        await agent.settled();
        wire.drop();
      });
    });
  });
}
