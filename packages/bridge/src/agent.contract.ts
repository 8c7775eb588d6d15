import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { Agent } from '../testing/agent.ts';
import { drivers, type ProposalAnswer } from '../testing/dialects.ts';
import { type AdapterUnderTest, addressOf, lockOf, lockPathOf, Stage, tokenOf } from '../testing/stage.ts';
import type { OpenAdapter } from './agent.ts';
import { isListening } from './discovery/listening.ts';

const isGone = (path: string) => statSync(path, { throwIfNoEntry: false }) === undefined;

/** Whether the adapter can be reached. */
function isOpen(address: string): Promise<boolean> {
  const [, socketPath] = /^unix:(.*):/.exec(address) ?? [];
  return isListening(socketPath === undefined ? { port: Number(new URL(address).port) } : { port: 0, socketPath });
}

/** What every adapter does for agents that propose changes. What a protocol can't express is in its driver. */
export function describeAgentAdapter(name: string, underTest: AdapterUnderTest): void {
  const driver = drivers[underTest.dialect];
  const isBlocking = driver.answers === 'when decided';

  describe(`${name} keeps the contract of an agent adapter`, () => {
    let stage: Stage;
    let adapter: OpenAdapter;

    beforeEach(async () => {
      stage = new Stage(underTest);
      stage.file('a.ts', 'one\ntwo\nthree\n');
      adapter = await stage.openAdapter();
    });

    const target = () => join(stage.folder, 'a.ts');

    /** Proposes a change; the outcome is what the agent learns. */
    const propose = (agent: Agent, contents = 'new\n', path = target(), tabName = 'tab') => {
      const diff = driver.diff(path, contents, tabName);
      const { id, answer } = agent.begin('tools/call', diff);
      const outcome = driver.outcome(agent, diff, answer);
      outcome.catch(() => {});
      return { id, outcome };
    };

    /** The same, when it is on the user's screen. */
    const proposed = async (agent: Agent, contents?: string, path?: string) => {
      const view = stage.user.next();
      const started = propose(agent, contents, path);
      return { ...(await view), ...started };
    };

    const close = (agent: Agent, path = target()) => {
      const { name: tool = '', arguments: args } = driver.closeDiff?.(path, 'tab') ?? {};
      return agent.callRaw(tool, args);
    };
    const needsClose = (context: TestContext) => {
      if (driver.closeDiff === undefined) context.skip('agents withdraw a proposal by cancelling its request');
    };

    const accepted = (text: string): ProposalAnswer =>
      driver.edits === 'carried' ? { kind: 'accepted', text } : { kind: 'accepted' };
    const rejected: ProposalAnswer = { kind: 'rejected' };

    /** The bridge does not show it, whatever the agent is answered. */
    const expectRefusal = async (agent: Agent, path: string, reason: string) => {
      const shown = stage.user.shown.length;
      const { name: tool, arguments: args } = driver.diff(path, 'x', 'tab');
      const { isError, texts } = await agent.callRaw(tool, args);
      if (driver.refusals === 'errors') {
        expect([isError, texts.join()]).toEqual([true, expect.stringContaining(reason)]);
      } else expect([isError, texts]).toEqual([false, []]);
      await agent.settled();
      expect(stage.user.shown).toHaveLength(shown);
    };

    describe('its lock', () => {
      it('is there and private once the adapter is open, and goes with it', async () => {
        expect(underTest.workspaceIn(lockOf(adapter))).toEqual(stage.folder);
        expect(statSync(lockPathOf(adapter)).mode & 0o777).toBe(0o600);
        expect(statSync(dirname(lockPathOf(adapter))).mode & 0o777).toBe(0o700);
        await Promise.all([adapter.close(), adapter.close()]);
        expect(isGone(lockPathOf(adapter))).toBe(true);
        expect(await isOpen(addressOf(adapter))).toBe(false);
      });

      it('is restored if it is deleted', async () => {
        const text = readFileSync(lockPathOf(adapter), 'utf8');
        const watcher = watch(dirname(lockPathOf(adapter)));
        rmSync(lockPathOf(adapter));
        while (isGone(lockPathOf(adapter))) await once(watcher, 'change');
        watcher.close();
        expect(readFileSync(lockPathOf(adapter), 'utf8')).toBe(text);
      });

      it('has the same address and token after a restart', async () => {
        const before = [addressOf(adapter), tokenOf(adapter)];
        await adapter.close();
        const again = await stage.openAdapter();
        expect([addressOf(again), tokenOf(again)]).toEqual(before);
      });

      it('is another for a second bridge in the same workspace, and each keeps its own across a restart', async () => {
        const second = await stage.openAdapter();
        const before = [adapter, second].map((each) => [addressOf(each), lockPathOf(each), tokenOf(each)]);
        expect(new Set(before.flat()).size).toBe(6);
        await second.close();
        await adapter.close();
        const again = [await stage.openAdapter(), await stage.openAdapter()];
        expect(again.map((each) => [addressOf(each), lockPathOf(each), tokenOf(each)])).toEqual(before);
      });

      it('follows the workspace, and so does what agents may name', async () => {
        const other = join(stage.home, 'other');
        mkdirSync(other);
        writeFileSync(join(other, 'b.ts'), 'b\n');
        const agent = await stage.agent(adapter);
        await expectRefusal(agent, join(other, 'b.ts'), 'Outside');
        const oldPath = lockPathOf(adapter);
        stage.editor.setFolders([other]);
        expect(underTest.workspaceIn(lockOf(adapter))).toEqual(other);
        if (lockPathOf(adapter) !== oldPath) expect(isGone(oldPath)).toBe(true);
        const { proposal } = await proposed(agent, 'x', join(other, 'b.ts'));
        expect(proposal.path).toBe(join(other, 'b.ts'));
        await expectRefusal(agent, target(), 'Outside');
        await adapter.close();
        expect(isGone(lockPathOf(adapter))).toBe(true);
      });
    });

    it.for([
      ['Host', { Host: 'example.com' }],
      ['Origin', { Origin: 'http://example.com' }],
    ] as const)('a request with a foreign %s is refused, though it has the token', async ([, foreign], context) => {
      if (addressOf(adapter).startsWith('unix:')) context.skip('no web page can reach a unix socket');
      const { protocol, port, pathname } = new URL(addressOf(adapter));
      const headers = protocol === 'ws:' ? upgradeHeaders(tokenOf(adapter)) : postHeaders(tokenOf(adapter));
      const method = protocol === 'ws:' ? 'GET' : 'POST';
      const sent = request({ port, path: pathname, method, headers: { ...headers, ...foreign } });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(403);
    });

    describe('a proposal', () => {
      const fate = driver.writer === 'bridge' ? 'written' : 'left alone';
      it(`that is accepted is answered with its text, and the file is ${fate}`, async () => {
        const agent = await stage.agent(adapter);
        const { proposal, decide, outcome } = await proposed(agent, 'one\n2\nthree\n');
        expect(proposal).toMatchObject({ path: target(), oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' });
        decide({ kind: 'accepted', text: proposal.newText });
        expect(await outcome).toEqual(accepted('one\n2\nthree\n'));
        const isWritten = driver.writer === 'bridge';
        expect(readFileSync(target(), 'utf8')).toBe(isWritten ? proposal.newText : 'one\ntwo\nthree\n');
      });

      it('that the user edited never makes the agent write anything else', async () => {
        const { decide, outcome } = await proposed(await stage.agent(adapter));
        decide({ kind: 'accepted', text: 'edited\n' });
        expect(await outcome).toEqual(driver.edits === 'carried' ? accepted('edited\n') : rejected);
      });

      it('that the user emptied never makes the agent write anything else', async () => {
        const { decide, outcome } = await proposed(await stage.agent(adapter));
        decide({ kind: 'accepted', text: '' });
        expect(await outcome).toEqual(driver.edits === 'carried' && isBlocking ? accepted('') : rejected);
      });

      it('that is rejected is answered as rejected', async () => {
        const { decide, outcome } = await proposed(await stage.agent(adapter));
        decide({ kind: 'rejected' });
        expect(await outcome).toEqual(rejected);
      });

      it('shows the file as the agent knows it: not at all when it is new, CRLF as LF', async () => {
        const agent = await stage.agent(adapter);
        const crlf = stage.file('crlf.txt', 'a\r\nb\r\n');
        for (const [path, oldText] of [
          [join(stage.folder, 'new/file.ts'), undefined],
          [crlf, 'a\nb\n'],
        ] as const) {
          const { proposal, decide, outcome } = await proposed(agent, 'text\n', path);
          expect(proposal.oldText).toBe(oldText);
          decide({ kind: 'rejected' });
          await outcome;
        }
      });

      it('of 10 MB is shown and answered whole', async () => {
        const large = `${'0123456789'.repeat(10)}\n`.repeat(100_000);
        const { proposal, decide, outcome } = await proposed(await stage.agent(adapter), large);
        expect(proposal.newText === large).toBe(true);
        decide({ kind: 'accepted', text: large });
        const answer = await outcome;
        expect(answer.kind).toBe('accepted');
        if (answer.kind === 'accepted' && driver.edits === 'carried') expect(answer.text === large).toBe(true);
      });

      it('closes when its agent closes it, twice if it likes, and is answered exactly once', async (context) => {
        needsClose(context);
        const agent = await stage.agent(adapter);
        const { id, signal, outcome, decide } = await proposed(agent);
        for (const _twice of [1, 2]) expect(await close(agent)).toMatchObject({ isError: false });
        if (driver.closing === 'rejected') expect(await outcome).toEqual(rejected);
        expect(signal.aborted).toBe(true);
        const count = agent.received.length;
        decide({ kind: 'accepted', text: 'too late' });
        await agent.settled();
        expect(agent.answers.get(id)).toBe(1);
        expect(agent.received).toHaveLength(count);
      });

      it('closes when its agent closes it at once, before the file is read', async (context) => {
        needsClose(context);
        const agent = await stage.agent(adapter);
        const { outcome } = propose(agent);
        expect(await close(agent)).toMatchObject({ isError: false });
        if (driver.closing === 'rejected') expect(await outcome).toEqual(rejected);
        await agent.settled();
        expect(stage.user.shown.every(({ signal }) => signal.aborted)).toBe(true);
      });

      it('gives way to the next of its name, never the other way round', async (context) => {
        if (driver.names === 'none') context.skip('proposals have no names');
        const agent = await stage.agent(adapter);
        const views = [stage.user.next(), stage.user.next()];
        const [first, second] = [propose(agent, '1'), propose(agent, '2')];
        if (isBlocking) expect(await first.outcome).toEqual(rejected);
        const shown = await Promise.race(views);
        const last = shown.proposal.newText === '2' ? shown : await (views[1] as (typeof views)[0]);
        last?.decide({ kind: 'accepted', text: '2' });
        expect(await second.outcome).toEqual(accepted('2'));
        expect(stage.user.shown.every(({ signal }) => signal.aborted)).toBe(true);
      });

      it('closes when its request is cancelled, and is not answered', async (context) => {
        if (!isBlocking) context.skip('the request that proposes is answered at once');
        const agent = await stage.agent(adapter);
        const { id, signal } = await proposed(agent);
        const closed = once(signal, 'abort');
        agent.notify('notifications/cancelled', { requestId: id });
        await closed;
        await agent.settled();
        expect(agent.answers.has(id)).toBe(false);
      });

      it('closes when its agent leaves', async () => {
        const agent = await stage.agent(adapter);
        const { signal } = await proposed(agent);
        const closed = once(signal, 'abort');
        agent.close();
        await closed;
      });

      it('of one agent is not touched by another, though both call it the same', async (context) => {
        needsClose(context);
        const [one, two] = [await stage.agent(adapter), await stage.agent(adapter)];
        const first = await proposed(one, '1');
        const second = await proposed(two, '2');
        await close(two);
        expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
        first.decide({ kind: 'accepted', text: '1' });
        expect(await first.outcome).toEqual(accepted('1'));
      });

      it('that is open when the adapter closes is never decided, and its view closes', async () => {
        const agent = await stage.agent(adapter);
        const { id, signal, outcome } = await proposed(agent);
        const left = agent.closed;
        await adapter.close();
        if (isBlocking) await expect(outcome).rejects.toThrow('closed before the response');
        await left;
        expect(agent.answers.get(id)).toBe(1);
        expect(signal.aborted).toBe(true);
      });

      it('outside the workspace or of a secret file is refused and never shown', async () => {
        const agent = await stage.agent(adapter);
        stage.file('.env', 'SECRET=1');
        for (const path of ['/etc/passwd', '../outside.txt']) await expectRefusal(agent, path, 'Outside');
        await expectRefusal(agent, join(stage.folder, '.env'), '.env');
        expect(JSON.stringify(agent.received)).not.toContain('SECRET');
      });

      it('is refused while the user has paused, and taken again afterwards', async () => {
        const agent = await stage.agent(adapter);
        stage.access.paused = true;
        await expectRefusal(agent, target(), 'Paused');
        stage.access.paused = false;
        const { decide, outcome } = await proposed(agent);
        decide({ kind: 'rejected' });
        await outcome;
      });
    });

    describe('the selection', () => {
      beforeEach((context) => {
        if (driver.selectionChanged === undefined) context.skip('agents ask for the selection');
      });
      const firstWord = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
      const { selectionChanged = '' } = driver;
      const isFirstWord = (params: object) => {
        const end = driver.selectionEnd(params);
        return end?.line === 0 && end.character === 3;
      };

      it('is sent to connected agents, and to one that connects later', async () => {
        const early = await stage.agent(adapter);
        const sent = early.notification(selectionChanged, isFirstWord);
        await stage.editor.openFile({ path: target(), range: firstWord });
        expect(JSON.stringify(await sent)).toContain(target());
        const late = await stage.connect(adapter);
        const again = late.notification(selectionChanged);
        await late.initialize();
        expect(isFirstWord(await again)).toBe(true);
      });

      it('that was made before the adapter opened is sent, too', async () => {
        await adapter.close();
        await stage.editor.openFile({ path: target(), range: firstWord });
        const agent = await stage.connect(await stage.openAdapter());
        const sent = agent.notification(selectionChanged, isFirstWord);
        await agent.initialize();
        await sent;
      });

      it('is held back while the user has paused, and sent when they resume', async () => {
        const agent = await stage.agent(adapter);
        stage.access.paused = true;
        await stage.editor.openFile({ path: target(), range: firstWord });
        await agent.settled();
        expect(JSON.stringify(agent.received)).not.toContain('a.ts');
        const sent = agent.notification(selectionChanged, (params) => JSON.stringify(params).includes('a.ts'));
        stage.access.paused = false;
        await sent;
      });
    });

    it('knows its clients for as long as they are there', async () => {
      expect(adapter.clients()).toEqual([]);
      const agent = await stage.agent(adapter);
      await agent.settled();
      expect(adapter.clients()).toEqual([expect.objectContaining({ state: 'ready' })]);
      const { signal } = await proposed(agent);
      const gone = once(signal, 'abort');
      agent.close();
      await gone;
      expect(adapter.clients()).toEqual([]);
    });

    it('counts the calls of each agent, and knows when it was last active', async () => {
      const [first, second] = [await stage.agent(adapter), await stage.agent(adapter)];
      await proposed(first);
      expect(adapter.clients().map(({ calls }) => calls)).toEqual([1, 0]);
      const [{ id, lastActivity } = { id: '', lastActivity: undefined }, other] = adapter.clients();
      expect(Number(lastActivity)).toBeGreaterThan(Date.now() - 60_000);
      expect(id).not.toBe(other?.id);
      await second.settled();
    });

    it('disconnects one agent, whose proposals are withdrawn', async () => {
      const [first, second] = [await stage.agent(adapter), await stage.agent(adapter)];
      const { signal } = await proposed(first);
      const gone = once(signal, 'abort');
      await adapter.clients()[0]?.disconnect();
      await Promise.all([gone, first.closed]);
      await second.settled();
      expect(adapter.clients()).toHaveLength(1);
    });
  });
}

function upgradeHeaders(token: string) {
  return {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'X-Claude-Code-Ide-Authorization': token,
  };
}

function postHeaders(token: string) {
  const Accept = 'application/json, text/event-stream';
  return { Authorization: `Bearer ${token}`, Accept, 'Content-Type': 'application/json' };
}
