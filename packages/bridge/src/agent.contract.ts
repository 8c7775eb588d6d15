import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, connectAgent, type Dialect } from '../testing/agent.ts';
import { Person } from '../testing/user.ts';
import { type Access, makeAccess } from './access/access.ts';
import type { OpenAdapter } from './agent.ts';
import { isListening } from './discovery/alive.ts';
import {
  type WorkspaceEditor,
  type WorkspaceEditorOptions,
  workspaceEditor,
} from './editors/workspace/workspace-editor.ts';

/** What a door is opened with in tests. */
export interface AdapterSurroundings {
  readonly access: Access;
  readonly stateFolder: string;
  /** Of the user; the workspace is the folder `work` in it. */
  readonly home: string;
}

export interface AdapterUnderTest {
  readonly dialect: Dialect;
  open(editor: WorkspaceEditor, surroundings: AdapterSurroundings): Promise<OpenAdapter>;
  /** What tells of a selection. */
  readonly selectionChanged: string;
  /** What a door of this kind says in its lock about the workspace. */
  workspaceIn(lock: { readonly [name: string]: unknown }): unknown;
}

/** A workspace with a door, an editor, a person and agents; all of it is gone after the test. */
export class Stage {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-door-')));
  readonly folder = join(this.home, 'work');
  readonly person = new Person();
  readonly access: Access;
  readonly editor: WorkspaceEditor;
  readonly #underTest: AdapterUnderTest;
  readonly #agents: Agent[] = [];
  readonly #doors: OpenAdapter[] = [];

  constructor(underTest: AdapterUnderTest, options: Partial<WorkspaceEditorOptions> = {}) {
    this.#underTest = underTest;
    mkdirSync(this.folder);
    this.access = makeAccess({ folders: [this.folder], home: this.home });
    this.editor = workspaceEditor({ folders: [this.folder], reviewer: this.person.review, ...options });
  }

  get surroundings(): AdapterSurroundings {
    return { access: this.access, stateFolder: join(this.home, 'state'), home: this.home };
  }

  async openAdapter(editor = this.editor): Promise<OpenAdapter> {
    const door = await this.#underTest.open(editor, this.surroundings);
    this.#doors.push(door);
    return door;
  }

  /** Writes a file and gives its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** An agent that is ready. */
  async agent(door: OpenAdapter): Promise<Agent> {
    const agent = await this.connect(door);
    await agent.initialize();
    // Its answer shows that notifications/initialized, which has none, was read.
    await agent.settled();
    return agent;
  }

  async connect(door: OpenAdapter): Promise<Agent> {
    const agent = await connectAgent(door.address, tokenOf(door), this.#underTest.dialect);
    this.#agents.push(agent);
    return agent;
  }

  diff(path: string, contents: string, tab_name = 'tab') {
    const paths = this.#underTest.dialect === 'claude-code' ? { new_file_path: path } : {};
    return { old_file_path: path, ...paths, new_file_contents: contents, tab_name };
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) agent.close();
    for (const door of this.#doors) await door.close();
    await this.editor.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function lockOf(door: OpenAdapter): { readonly [name: string]: unknown } {
  return JSON.parse(readFileSync(door.lockPath as string, 'utf8'));
}

export function tokenOf(door: OpenAdapter): string {
  return lockOf(door).authToken as string;
}

/** Resolves once the editor's command has reported something. */
export async function diagnosed(editor: WorkspaceEditor): Promise<void> {
  const reported = new Promise<void>((resolve) => {
    const stop = editor.subscribe(({ kind }) => {
      if (kind !== 'diagnostics') return;
      stop();
      resolve();
    });
  });
  if ((await editor.diagnostics?.())?.length === 0) await reported;
}

const isGone = (path: string | undefined) => statSync(path as string, { throwIfNoEntry: false }) === undefined;
const portOf = ({ address }: OpenAdapter) => Number(new URL(address).port);

/** What every door must do that agents come through to propose changes. */
export function describeAgentAdapter(name: string, underTest: AdapterUnderTest): void {
  describe(`${name} keeps the contract of a door`, () => {
    let stage: Stage;
    let door: OpenAdapter;

    beforeEach(async () => {
      stage = new Stage(underTest);
      stage.file('a.ts', 'one\ntwo\nthree\n');
      door = await stage.openAdapter();
    });

    afterEach(() => stage.close());

    const target = () => join(stage.folder, 'a.ts');

    /** A proposal of an agent, on the person's screen. */
    const proposed = async (agent: Agent, contents = 'new\n', tabName = 'tab') => {
      const view = stage.person.next();
      const params = { name: 'openDiff', arguments: stage.diff(target(), contents, tabName) };
      const { id, answer } = agent.begin('tools/call', params);
      const shown = await view;
      const texts = answer.then(({ content }) => content.map(({ text }: { text: string }) => text));
      texts.catch(() => {});
      return { ...shown, id, texts };
    };

    describe('its lock', () => {
      it('is there and private once the door is open, and goes with it', async () => {
        expect(underTest.workspaceIn(lockOf(door))).toEqual(stage.folder);
        expect(statSync(door.lockPath as string).mode & 0o777).toBe(0o600);
        expect(statSync(dirname(door.lockPath as string)).mode & 0o777).toBe(0o700);
        await Promise.all([door.close(), door.close()]);
        expect(isGone(door.lockPath)).toBe(true);
        expect(await isListening(portOf(door))).toBe(false);
      });

      it('is put back when somebody deletes it', async () => {
        const text = readFileSync(door.lockPath as string, 'utf8');
        const watcher = watch(dirname(door.lockPath as string));
        rmSync(door.lockPath as string);
        while (isGone(door.lockPath)) await once(watcher, 'change');
        watcher.close();
        expect(readFileSync(door.lockPath as string, 'utf8')).toBe(text);
      });

      it('has the same port and token after a restart', async () => {
        const before = [door.address, tokenOf(door)];
        await door.close();
        const again = await stage.openAdapter();
        expect([again.address, tokenOf(again)]).toEqual(before);
      });

      it('is another for a second bridge in the same workspace, and each keeps its own across a restart', async () => {
        const second = await stage.openAdapter();
        const before = [door, second].map((each) => [each.address, each.lockPath, tokenOf(each)]);
        expect(new Set(before.flat()).size).toBe(6);
        await second.close();
        await door.close();
        const again = [await stage.openAdapter(), await stage.openAdapter()];
        expect(again.map((each) => [each.address, each.lockPath, tokenOf(each)])).toEqual(before);
      });

      it('follows the workspace, and so does what agents may name', async () => {
        const other = join(stage.home, 'other');
        mkdirSync(other);
        writeFileSync(join(other, 'b.ts'), 'b\n');
        const agent = await stage.agent(door);
        expect((await agent.callRaw('openDiff', stage.diff(join(other, 'b.ts'), 'x'))).isError).toBe(true);
        const oldPath = door.lockPath;
        stage.editor.setFolders([other]);
        expect(underTest.workspaceIn(lockOf(door))).toEqual(other);
        if (door.lockPath !== oldPath) expect(isGone(oldPath)).toBe(true);
        const view = stage.person.next();
        void agent.call('openDiff', stage.diff(join(other, 'b.ts'), 'x')).catch(() => {});
        expect((await view).proposal.path).toBe(join(other, 'b.ts'));
        expect((await agent.callRaw('openDiff', stage.diff(target(), 'x'))).isError).toBe(true);
        await door.close();
        expect(isGone(door.lockPath)).toBe(true);
      });
    });

    it.each([
      ['Host', { Host: 'example.com' }],
      ['Origin', { Origin: 'http://example.com' }],
    ])('a request with a foreign %s is refused, though it has the token', async (_what, foreign) => {
      const upgrade = request({
        port: portOf(door),
        path: new URL(door.address).pathname,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          'X-Claude-Code-Ide-Authorization': tokenOf(door),
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
        const agent = await stage.agent(door);
        const { proposal, decide, texts } = await proposed(agent, 'one\n2\nthree\n');
        expect(proposal).toMatchObject({ path: target(), oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' });
        decide({ kind: 'accepted', text: proposal.newText });
        expect(await texts).toEqual(['FILE_SAVED', 'one\n2\nthree\n']);
        expect(readFileSync(target(), 'utf8')).toBe('one\ntwo\nthree\n');
      });

      it('that the person changed is answered with what they made of it', async () => {
        const { decide, texts } = await proposed(await stage.agent(door));
        decide({ kind: 'accepted', text: 'edited\n' });
        expect(await texts).toEqual(['FILE_SAVED', 'edited\n']);
      });

      it('that is rejected is answered with DIFF_REJECTED', async () => {
        const { decide, texts } = await proposed(await stage.agent(door));
        decide({ kind: 'rejected' });
        expect((await texts)[0]).toBe('DIFF_REJECTED');
      });

      it('shows the file as the agent knows it: not at all when it is new, CRLF as LF', async () => {
        const agent = await stage.agent(door);
        const crlf = stage.file('crlf.txt', 'a\r\nb\r\n');
        for (const [path, oldText] of [
          [join(stage.folder, 'new/file.ts'), undefined],
          [crlf, 'a\nb\n'],
        ] as const) {
          const view = stage.person.next();
          const answer = agent.call('openDiff', stage.diff(path, 'text\n'));
          const { proposal, decide } = await view;
          expect(proposal.oldText).toBe(oldText);
          decide({ kind: 'rejected' });
          await answer;
        }
      });

      it('of 10 MB is shown and answered whole', async () => {
        const large = `${'0123456789'.repeat(10)}\n`.repeat(100_000);
        const { proposal, decide, texts } = await proposed(await stage.agent(door), large);
        expect(proposal.newText === large).toBe(true);
        decide({ kind: 'accepted', text: large });
        const [word, text] = await texts;
        expect([word, text === large]).toEqual(['FILE_SAVED', true]);
      });

      it('closes when its agent closes the tab, twice if it likes, and is answered exactly once', async () => {
        const agent = await stage.agent(door);
        const { id, signal, texts, decide } = await proposed(agent);
        for (const _twice of [1, 2]) expect(await agent.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
        expect((await texts)[0]).toBe('DIFF_REJECTED');
        expect(signal.aborted).toBe(true);
        decide({ kind: 'accepted', text: 'too late' });
        await agent.settled();
        expect(agent.answers.get(id)).toBe(1);
      });

      it('closes when its agent closes the tab in the next breath, before the file is even read', async () => {
        const agent = await stage.agent(door);
        const params = { name: 'openDiff', arguments: stage.diff(target(), 'new\n') };
        const { answer } = agent.begin('tools/call', params);
        expect(await agent.call('close_tab', { tab_name: 'tab' })).toEqual(['TAB_CLOSED']);
        expect((await answer).content[0].text).toBe('DIFF_REJECTED');
        expect(stage.person.shown.every(({ signal }) => signal.aborted)).toBe(true);
      });

      it('gives way to the next of its name, never the other way round', async () => {
        const agent = await stage.agent(door);
        const views = [stage.person.next(), stage.person.next()];
        const proposals = ['1', '2'].map((contents) => agent.call('openDiff', stage.diff(target(), contents)));
        expect((await proposals[0])?.[0]).toBe('DIFF_REJECTED');
        const shown = await Promise.race(views);
        const last = shown.proposal.newText === '2' ? shown : await (views[1] as (typeof views)[0]);
        last?.decide({ kind: 'accepted', text: '2' });
        expect(await proposals[1]).toEqual(['FILE_SAVED', '2']);
      });

      it('closes when its request is cancelled, and is not answered', async () => {
        const agent = await stage.agent(door);
        const { id, signal } = await proposed(agent);
        const closed = once(signal, 'abort');
        agent.notify('notifications/cancelled', { requestId: id });
        await closed;
        await agent.settled();
        expect(agent.answers.has(id)).toBe(false);
      });

      it('closes when its agent leaves', async () => {
        const agent = await stage.agent(door);
        const { signal } = await proposed(agent);
        const closed = once(signal, 'abort');
        agent.close();
        await closed;
      });

      it('of one agent is not touched by another, though both call it the same', async () => {
        const [one, two] = [await stage.agent(door), await stage.agent(door)];
        const first = await proposed(one, '1');
        const second = await proposed(two, '2');
        await two.call('close_tab', { tab_name: 'tab' });
        expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
        first.decide({ kind: 'accepted', text: '1' });
        expect(await first.texts).toEqual(['FILE_SAVED', '1']);
      });

      it('that is open when the door closes gets an error, and its view closes', async () => {
        const { signal, texts } = await proposed(await stage.agent(door));
        await door.close();
        await expect(texts).rejects.toThrow('no answer before the end');
        expect(signal.aborted).toBe(true);
      });

      it('outside the workspace or of a secret file is refused and never shown', async () => {
        const agent = await stage.agent(door);
        stage.file('.env', 'SECRET=1');
        for (const path of ['/etc/passwd', '../outside.txt', join(stage.folder, '.env')]) {
          const { isError, texts } = await agent.callRaw('openDiff', stage.diff(path, 'x'));
          expect([isError, texts.join()]).toEqual([true, expect.not.stringContaining('SECRET')]);
        }
        expect(stage.person.shown).toEqual([]);
      });

      it('is refused while the user has paused, and taken again afterwards', async () => {
        const agent = await stage.agent(door);
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

      it('is told to agents that are there, and to one that comes later', async () => {
        const early = await stage.agent(door);
        const told = early.notification(underTest.selectionChanged, ({ range, selection }) => {
          return (range ?? selection).end.character === 3;
        });
        await stage.editor.openFile({ path: target(), range: firstWord });
        await told;
        const late = await stage.connect(door);
        const again = late.notification(underTest.selectionChanged);
        await late.initialize();
        const { range, selection } = await again;
        expect(range ?? selection).toMatchObject(firstWord);
      });

      it('that was made before the door opened is told, too', async () => {
        await door.close();
        await stage.editor.openFile({ path: target(), range: firstWord });
        const agent = await stage.connect(await stage.openAdapter());
        const told = agent.notification(underTest.selectionChanged);
        await agent.initialize();
        await told;
      });

      it('is kept back while the user has paused, and told when they go on', async () => {
        const agent = await stage.agent(door);
        stage.access.paused = true;
        await stage.editor.openFile({ path: target(), range: firstWord });
        await agent.settled();
        expect(JSON.stringify(agent.heard)).not.toContain('a.ts');
        const told = agent.notification(underTest.selectionChanged, (params) =>
          JSON.stringify(params).includes('a.ts'),
        );
        stage.access.paused = false;
        await told;
      });
    });

    it('knows its clients for as long as they are there', async () => {
      expect(door.clients()).toEqual([]);
      const agent = await stage.agent(door);
      await agent.settled();
      expect(door.clients()).toEqual([expect.objectContaining({ state: 'ready' })]);
      const { signal } = await proposed(agent);
      const gone = once(signal, 'abort');
      agent.close();
      await gone;
      expect(door.clients()).toEqual([]);
    });
  });
}
