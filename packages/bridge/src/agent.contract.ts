import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../testing/agent.ts';
import { type AdapterUnderTest, addressOf, lockOf, lockPathOf, Stage, tokenOf } from '../testing/stage.ts';
import type { OpenAdapter } from './agent.ts';
import { isListening } from './discovery/alive.ts';

const isGone = (path: string) => statSync(path, { throwIfNoEntry: false }) === undefined;
const portOf = (adapter: OpenAdapter) => Number(new URL(addressOf(adapter)).port);

/** What every adapter does for agents that propose changes. */
export function describeAgentAdapter(name: string, underTest: AdapterUnderTest): void {
  describe(`${name} keeps the contract of an agent adapter`, () => {
    let stage: Stage;
    let adapter: OpenAdapter;

    beforeEach(async () => {
      stage = new Stage(underTest);
      stage.file('a.ts', 'one\ntwo\nthree\n');
      adapter = await stage.openAdapter();
    });

    afterEach(() => stage.close());

    const target = () => join(stage.folder, 'a.ts');

    /** A proposal of an agent, on the user's screen. */
    const proposed = async (agent: Agent, contents = 'new\n', tabName = 'tab') => {
      const view = stage.user.next();
      const params = { name: 'openDiff', arguments: stage.diff(target(), contents, tabName) };
      const { id, answer } = agent.begin('tools/call', params);
      const shown = await view;
      const texts = answer.then(({ content }) => content.map(({ text }: { text: string }) => text));
      texts.catch(() => {});
      return { ...shown, id, texts };
    };

    describe('its lock', () => {
      it('is there and private once the adapter is open, and goes with it', async () => {
        expect(underTest.workspaceIn(lockOf(adapter))).toEqual(stage.folder);
        expect(statSync(lockPathOf(adapter)).mode & 0o777).toBe(0o600);
        expect(statSync(dirname(lockPathOf(adapter))).mode & 0o777).toBe(0o700);
        await Promise.all([adapter.close(), adapter.close()]);
        expect(isGone(lockPathOf(adapter))).toBe(true);
        expect(await isListening(portOf(adapter))).toBe(false);
      });

      it('is restored if it is deleted', async () => {
        const text = readFileSync(lockPathOf(adapter), 'utf8');
        const watcher = watch(dirname(lockPathOf(adapter)));
        rmSync(lockPathOf(adapter));
        while (isGone(lockPathOf(adapter))) await once(watcher, 'change');
        watcher.close();
        expect(readFileSync(lockPathOf(adapter), 'utf8')).toBe(text);
      });

      it('has the same port and token after a restart', async () => {
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
        expect((await agent.callRaw('openDiff', stage.diff(join(other, 'b.ts'), 'x'))).isError).toBe(true);
        const oldPath = lockPathOf(adapter);
        stage.editor.setFolders([other]);
        expect(underTest.workspaceIn(lockOf(adapter))).toEqual(other);
        if (lockPathOf(adapter) !== oldPath) expect(isGone(oldPath)).toBe(true);
        const view = stage.user.next();
        void agent.call('openDiff', stage.diff(join(other, 'b.ts'), 'x')).catch(() => {});
        expect((await view).proposal.path).toBe(join(other, 'b.ts'));
        expect((await agent.callRaw('openDiff', stage.diff(target(), 'x'))).isError).toBe(true);
        await adapter.close();
        expect(isGone(lockPathOf(adapter))).toBe(true);
      });
    });

    it.each([
      ['Host', { Host: 'example.com' }],
      ['Origin', { Origin: 'http://example.com' }],
    ])('a request with a foreign %s is refused, though it has the token', async (_what, foreign) => {
      const upgrade = request({
        port: portOf(adapter),
        path: new URL(addressOf(adapter)).pathname,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          'X-Claude-Code-Ide-Authorization': tokenOf(adapter),
          ...foreign,
        },
      });
      upgrade.end();
      const [response] = await once(upgrade, 'response');
      response.resume();
      expect(response.statusCode).toBe(403);
    });

    describe('a proposal', () => {
      it('that is accepted is answered with two blocks, and the file is left alone', async () => {
        const agent = await stage.agent(adapter);
        const { proposal, decide, texts } = await proposed(agent, 'one\n2\nthree\n');
        expect(proposal).toMatchObject({ path: target(), oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' });
        decide({ kind: 'accepted', text: proposal.newText });
        expect(await texts).toEqual(['FILE_SAVED', 'one\n2\nthree\n']);
        expect(readFileSync(target(), 'utf8')).toBe('one\ntwo\nthree\n');
      });

      it('that the user edited is answered with the edited text', async () => {
        const { decide, texts } = await proposed(await stage.agent(adapter));
        decide({ kind: 'accepted', text: 'edited\n' });
        expect(await texts).toEqual(['FILE_SAVED', 'edited\n']);
      });

      it('that is rejected is answered with DIFF_REJECTED', async () => {
        const { decide, texts } = await proposed(await stage.agent(adapter));
        decide({ kind: 'rejected' });
        expect((await texts)[0]).toBe('DIFF_REJECTED');
      });

      it('shows the file as the agent knows it: not at all when it is new, CRLF as LF', async () => {
        const agent = await stage.agent(adapter);
        const crlf = stage.file('crlf.txt', 'a\r\nb\r\n');
        for (const [path, oldText] of [
          [join(stage.folder, 'new/file.ts'), undefined],
          [crlf, 'a\nb\n'],
        ] as const) {
          const view = stage.user.next();
          const answer = agent.call('openDiff', stage.diff(path, 'text\n'));
          const { proposal, decide } = await view;
          expect(proposal.oldText).toBe(oldText);
          decide({ kind: 'rejected' });
          await answer;
        }
      });

      it('of 10 MB is shown and answered whole', async () => {
        const large = `${'0123456789'.repeat(10)}\n`.repeat(100_000);
        const { proposal, decide, texts } = await proposed(await stage.agent(adapter), large);
        expect(proposal.newText === large).toBe(true);
        decide({ kind: 'accepted', text: large });
        const [word, text] = await texts;
        expect([word, text === large]).toEqual(['FILE_SAVED', true]);
      });

      it('closes when its agent closes the tab, twice if it likes, and is answered exactly once', async () => {
        const agent = await stage.agent(adapter);
        const { id, signal, texts, decide } = await proposed(agent);
        for (const _twice of [1, 2]) expect(await agent.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
        expect((await texts)[0]).toBe('DIFF_REJECTED');
        expect(signal.aborted).toBe(true);
        decide({ kind: 'accepted', text: 'too late' });
        await agent.settled();
        expect(agent.answers.get(id)).toBe(1);
      });

      it('closes when its agent closes the tab at once, before the file is read', async () => {
        const agent = await stage.agent(adapter);
        const params = { name: 'openDiff', arguments: stage.diff(target(), 'new\n') };
        const { answer } = agent.begin('tools/call', params);
        expect(await agent.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
        expect((await answer).content[0].text).toBe('DIFF_REJECTED');
        expect(stage.user.shown.every(({ signal }) => signal.aborted)).toBe(true);
      });

      it('gives way to the next of its name, never the other way round', async () => {
        const agent = await stage.agent(adapter);
        const views = [stage.user.next(), stage.user.next()];
        const proposals = ['1', '2'].map((contents) => agent.call('openDiff', stage.diff(target(), contents)));
        expect((await proposals[0])?.[0]).toBe('DIFF_REJECTED');
        const shown = await Promise.race(views);
        const last = shown.proposal.newText === '2' ? shown : await (views[1] as (typeof views)[0]);
        last?.decide({ kind: 'accepted', text: '2' });
        expect(await proposals[1]).toEqual(['FILE_SAVED', '2']);
      });

      it('closes when its request is cancelled, and is not answered', async () => {
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

      it('of one agent is not touched by another, though both call it the same', async () => {
        const [one, two] = [await stage.agent(adapter), await stage.agent(adapter)];
        const first = await proposed(one, '1');
        const second = await proposed(two, '2');
        await two.call('close_tab', { tab_name: 'tab' });
        expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
        first.decide({ kind: 'accepted', text: '1' });
        expect(await first.texts).toEqual(['FILE_SAVED', '1']);
      });

      it('that is open when the adapter closes gets an error, and its view closes', async () => {
        const { signal, texts } = await proposed(await stage.agent(adapter));
        await adapter.close();
        await expect(texts).rejects.toThrow('no answer before the end');
        expect(signal.aborted).toBe(true);
      });

      it('outside the workspace or of a secret file is refused and never shown', async () => {
        const agent = await stage.agent(adapter);
        stage.file('.env', 'SECRET=1');
        for (const path of ['/etc/passwd', '../outside.txt', join(stage.folder, '.env')]) {
          const { isError, texts } = await agent.callRaw('openDiff', stage.diff(path, 'x'));
          expect([isError, texts.join()]).toEqual([true, expect.not.stringContaining('SECRET')]);
        }
        expect(stage.user.shown).toEqual([]);
      });

      it('is refused while the user has paused, and taken again afterwards', async () => {
        const agent = await stage.agent(adapter);
        stage.access.paused = true;
        const refused = await agent.callRaw('openDiff', stage.diff(target(), 'x'));
        expect([refused.isError, refused.texts.join()]).toEqual([true, expect.stringContaining('Paused')]);
        stage.access.paused = false;
        const { decide, texts } = await proposed(agent);
        decide({ kind: 'rejected' });
        await texts;
      });
    });

    describe('the selection', () => {
      const firstWord = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };

      it('is sent to connected agents, and to one that connects later', async () => {
        const early = await stage.agent(adapter);
        const sent = early.notification(underTest.selectionChanged, ({ range, selection }) => {
          return (range ?? selection).end.character === 3;
        });
        await stage.editor.openFile({ path: target(), range: firstWord });
        await sent;
        const late = await stage.connect(adapter);
        const again = late.notification(underTest.selectionChanged);
        await late.initialize();
        const { range, selection } = await again;
        expect(range ?? selection).toMatchObject(firstWord);
      });

      it('that was made before the adapter opened is sent, too', async () => {
        await adapter.close();
        await stage.editor.openFile({ path: target(), range: firstWord });
        const agent = await stage.connect(await stage.openAdapter());
        const sent = agent.notification(underTest.selectionChanged);
        await agent.initialize();
        await sent;
      });

      it('is held back while the user has paused, and sent when they resume', async () => {
        const agent = await stage.agent(adapter);
        stage.access.paused = true;
        await stage.editor.openFile({ path: target(), range: firstWord });
        await agent.settled();
        expect(JSON.stringify(agent.received)).not.toContain('a.ts');
        const sent = agent.notification(underTest.selectionChanged, (params) =>
          JSON.stringify(params).includes('a.ts'),
        );
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
