import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import { type Household, openDiff, type ServedBridge, temporaryHousehold } from '../../testing/program.ts';
import { User } from '../../testing/user.ts';
import type { Status } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { findBridges } from '../control/find.ts';
import { controlFolder } from '../control/place.ts';

const OLD = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
const NEW = OLD.replace('two', 'TWO').replace('eight', 'EIGHT');

let house: Household;
let bridge: ServedBridge;
let agent: Agent;
let file: string;
let clients: ControlClient[];

beforeEach(async () => {
  house = temporaryHousehold();
  clients = [];
  file = house.file('a.txt', OLD);
  house.file('.env', 'SECRET=1\n');
  bridge = await house.serve();
  agent = await house.agent(bridge.line);
});

afterEach(async () => {
  for (const client of clients) await client.close();
});

const controlHome = () => ({
  stateFolder: join(house.home, '.local', 'state', 'hawser'),
  temporaryFolder: house.home,
});

async function control(): Promise<ControlClient> {
  const { bridges } = await findBridges(controlHome(), { pid: bridge.child.pid });
  const [found] = bridges;
  if (found === undefined) throw new Error('No bridge answers');
  clients.push(found.client);
  return found.client;
}

/** The id of the next proposal, or of the one that is open. */
async function waiting(): Promise<string> {
  const client = await control();
  return await new Promise((resolve, reject) => {
    const reviewer = new User();
    reviewer.next().then(({ proposal }) => resolve(proposal.id), reject);
    client.attach(reviewer, () => {}).catch(reject);
  });
}

describe('hawser review', () => {
  it('lists what waits, in words and as JSON, and shows it as a patch that git applies', async () => {
    expect(await house.run('review', '--list')).toEqual({ code: 0, out: '', err: '' });
    const answer = openDiff(agent, file, NEW.replace('one', '\x1b[31mone'));
    const id = await waiting();
    expect((await house.run('review', '--list')).out).toBe(`${id.slice(0, 8)}  ${file}  claude-code\n`);
    expect(JSON.parse((await house.run('review', '--list', '--json')).out)).toEqual([
      {
        id,
        path: file,
        title: file,
        agent: 'claude-code',
        isNewFile: false,
        revision: 0,
        base: 'original',
        effect: 'edit',
        turn: 0,
      },
    ]);
    const { out: patch } = await house.run('review', '--show', id.slice(0, 8));
    expect(patch.split('\n').slice(0, 8)).toEqual([
      `# ${file}, proposed by claude-code`,
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,9 +1,9 @@ hunks 1-2',
      '-one',
      '-two',
      '+\x1b[31mone',
      '+TWO',
    ]);
    execFileSync('git', ['apply'], { cwd: house.workspace, input: patch, stdio: 'pipe' });
    expect(readFileSync(file, 'utf8')).toBe(NEW.replace('one', '\x1b[31mone'));
    writeFileSync(file, OLD);
    const exact = JSON.parse((await house.run('review', '--show', id, '--json')).out);
    expect(exact).toMatchObject({ oldText: OLD, newText: NEW.replace('one', '\x1b[31mone') });
    await house.run('review', '--reject', id);
    await answer;
  });

  it('prints JSON in which a terminal finds nothing to obey, whatever an agent proposes', async () => {
    const file = join(house.workspace, 'a\u202e.txt');
    writeFileSync(file, 'one\n');
    const answer = openDiff(agent, file, 'one\x9b2J\u202etwo\n', 'tab\x9b31m');
    const id = await waiting();
    await agent.call('openFile', { filePath: file });
    for (const args of [['review', '--list'], ['review', '--show', id], ['status']]) {
      const { out } = await house.run(...args, '--json');
      expect(out).not.toMatch(/[\x7f-\x9f\u202e]/);
      expect(out).toContain('\\u202e');
    }
    const shown = JSON.parse((await house.run('review', '--show', id, '--json')).out);
    expect(shown).toMatchObject({ path: file, title: 'tab\x9b31m', newText: 'one\x9b2J\u202etwo\n' });
    await house.run('review', '--reject', id);
    await answer;
  });

  it.each([
    ['CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\r\nTWO\r\nthree\r\n'],
    ['CRLF and LF', 'one\r\ntwo\nthree\r\n', 'one\r\nTWO\r\nthree\r\n'],
    ['a byte order mark', '\ufeffone\ntwo\nthree\n', '\ufeffone\nTWO\nthree\n'],
  ])('git applies the patch to a file with %s, though the agent proposes neither', async (_, text, changed) => {
    writeFileSync(file, text);
    const answer = openDiff(agent, file, 'one\nTWO\nthree\n');
    const id = await waiting();
    const { out: patch } = await house.run('review', '--show', id);
    execFileSync('git', ['apply'], { cwd: house.workspace, input: patch, stdio: 'pipe' });
    expect(readFileSync(file, 'utf8')).toBe(changed);
    await house.run('review', '--reject', id);
    await answer;
  });

  it('accepts a change whole: the agent gets its text, and writes the file itself', async () => {
    const logged = agent.notification('log_event');
    const answer = openDiff(agent, file, NEW);
    expect(await house.run('review', '--accept', await waiting())).toEqual({
      code: 0,
      out: 'hawser: accepted\n',
      err: '',
    });
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
    expect(await logged).toEqual({ eventName: 'diff_accepted', eventData: { filePath: file, isChanged: false } });
    expect(statSync(file).size).toBe(OLD.length);
  });

  it('accepts some hunks: the agent gets the text of those alone', async () => {
    const logged = agent.notification('log_event');
    const answer = openDiff(agent, file, NEW);
    const { out } = await house.run('review', '--accept', await waiting(), '--hunks', '2');
    expect(out).toBe('hawser: accepted with changes\n');
    expect(await answer).toEqual(['FILE_SAVED', OLD.replace('eight', 'EIGHT')]);
    expect(await logged).toEqual({ eventName: 'diff_accepted', eventData: { filePath: file, isChanged: true } });
  });

  it('rejects', async () => {
    const logged = agent.notification('log_event');
    const answer = openDiff(agent, file, NEW, 'a tab');
    expect(await house.run('review', '--reject', await waiting())).toMatchObject({
      code: 0,
      out: 'hawser: rejected\n',
    });
    expect(await answer).toEqual(['DIFF_REJECTED', 'a tab']);
    expect(await logged).toEqual({ eventName: 'diff_rejected', eventData: { filePath: file } });
  });

  it('says what was wrong, with a code for each', async () => {
    const answer = openDiff(agent, file, NEW);
    const id = await waiting();
    const run = async (...args: string[]) => {
      const { code, err } = await house.run('review', ...args);
      return [code, err.split('\n')[0]];
    };
    expect(await run('--accept', 'unknown')).toEqual([
      7,
      'hawser: There is no proposal unknown; see hawser review --list',
    ]);
    expect(await run('--accept', id, '--hunks', '3')).toEqual([
      1,
      `hawser: Proposal ${id} is still open: There is no hunk 3; the change has 2`,
    ]);
    expect(await run('--accept', id, '--hunks', 'all')).toEqual([
      2,
      expect.stringContaining('Hunks are numbers from 1'),
    ]);
    expect(await run('--accept', id, '--reject', id)).toEqual([2, expect.stringContaining('Only one of')]);
    expect(await run('--hunks', '1')).toEqual([2, 'hawser: --hunks goes with --accept']);
    expect(await run()).toEqual([2, expect.stringContaining('hawser review needs a terminal')]);
    await house.run('review', '--reject', id);
    await answer;
    expect(await run('--accept', id)).toEqual([8, `hawser: Proposal ${id} was already rejected`]);
  });

  it('what the agent closed is gone, and says so', async () => {
    const answer = openDiff(agent, file, NEW, 'a tab');
    const id = await waiting();
    await agent.call('close_tab', { tab_name: 'a tab' });
    expect(await answer).toEqual(['DIFF_REJECTED', 'a tab']);
    const { code, err } = await house.run('review', '--accept', id);
    expect([code, err]).toEqual([8, expect.stringContaining('was already withdrawn (the agent closed it)')]);
  });

  it('decided by many at once, it is decided once', async () => {
    const answer = openDiff(agent, file, NEW);
    const id = await waiting();
    const reviewers = await Promise.all(Array.from({ length: 10 }, control));
    const results = await Promise.all(
      reviewers.map((each, index) => each.decide(id, index % 2 === 0 ? { kind: 'accepted' } : { kind: 'rejected' })),
    );
    expect(results.filter(({ kind }) => kind === 'decided')).toHaveLength(1);
    const isAccepted = (await answer)[0] === 'FILE_SAVED';
    const by = 'hawser review';
    const outcome = isAccepted
      ? { kind: 'accepted', text: 'as proposed', writer: 'agent', by }
      : { kind: 'rejected', by };
    expect(results.map((result) => 'outcome' in result && result.outcome)).toEqual(Array(10).fill(outcome));
  });

  it('a change whose file has changed is merged, and accepted only with the revision that was shown', async () => {
    const answer = openDiff(agent, file, NEW);
    const id = await waiting();
    const theirs = OLD.replace('five', 'FIVE');
    writeFileSync(file, theirs);
    const client = await control();
    await expect.poll(() => client.list()).toMatchObject([{ revision: 1, base: 'merged' }]);
    expect((await house.run('review', '--list')).out).toContain('(file changed, merged)');
    expect(await house.run('review', '--accept', id)).toMatchObject({
      code: 9,
      err: expect.stringContaining(`--accept ${id} --revision 1`),
    });
    expect((await house.run('review', '--show', id)).out).toContain('revision 1: the file has changed since');
    expect(await house.run('review', '--accept', id, '--revision', '1')).toMatchObject({ code: 0 });
    expect(await answer).toEqual(['FILE_SAVED', NEW.replace('five', 'FIVE')]);
  });
});

describe('hawser pause and resume', () => {
  const refusal = { isError: true, texts: ['Paused by the user. Try again later.'] };

  it('while paused agents get no selection, no text and no diagnostics, and no proposal is taken', async () => {
    const shown = agent.notification('selection_changed', ({ filePath }) => filePath === file);
    await agent.call('openFile', { filePath: file, startText: 'two', endText: 'four' });
    expect(await shown).toMatchObject({ text: 'two\nthree\nfour' });

    const cleared = agent.notification('selection_changed', ({ filePath }) => filePath === undefined);
    expect(await house.run('pause')).toMatchObject({ code: 0, out: expect.stringContaining('hawser: paused') });
    expect(await cleared).toMatchObject({ text: '', selection: { isEmpty: true } });
    expect(await agent.callRaw('openFile', { filePath: file })).toEqual(refusal);
    expect(await agent.callRaw('getOpenEditors')).toEqual(refusal);
    expect(await agent.callRaw('checkDocumentDirty', { filePath: file })).toEqual(refusal);
    for (const tool of ['getCurrentSelection', 'getLatestSelection']) {
      expect(JSON.parse((await agent.call(tool))[0] ?? '')).toMatchObject({ success: false });
    }
    const proposed = { old_file_path: file, new_file_path: file, new_file_contents: NEW };
    expect(await agent.callRaw('openDiff', proposed)).toEqual(refusal);
    expect(await house.run('mention', 'a.txt')).toMatchObject({
      code: 1,
      err: expect.stringContaining('hawser resume'),
    });

    const again = agent.notification('selection_changed', ({ filePath }) => filePath === file);
    await house.run('resume');
    expect(await again).toMatchObject({ text: 'two\nthree\nfour' });
  });

  it('it holds for every adapter of that bridge, diagnostics included, and for no other bridge', async () => {
    const folder = join(house.home, 'other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'b.txt'), 'text\n');
    const adapters = ['--agents', 'claude-code,jetbrains', '--diagnostics', 'true'];
    const other = await house.serve(...adapters, '-w', folder);
    const claude = await house.agent(other.line);
    const jetbrains = await house.agent(await house.lineOf('jetbrains', other));
    await claude?.call('openFile', { filePath: join(folder, 'b.txt') });
    const calls: [Agent | undefined, string, object?][] = [
      [claude, 'getDiagnostics'],
      [claude, 'getOpenEditors'],
      [jetbrains, 'get_diagnostics'],
      [jetbrains, 'list_opened_files'],
      [jetbrains, 'open_file', { file_path: join(folder, 'b.txt') }],
      [jetbrains, 'openDiff', { old_file_path: join(folder, 'b.txt'), new_file_contents: 'other\n' }],
    ];
    for (const [who, tool] of calls.slice(0, 4)) expect((await who?.callRaw(tool))?.isError).toBe(false);
    await house.run('pause', '-w', folder);
    for (const [who, tool, args] of calls) expect([tool, await who?.callRaw(tool, args)]).toEqual([tool, refusal]);
    expect((await jetbrains?.callRaw('get_selection'))?.isError).toBe(true);
    expect(await agent.callRaw('getOpenEditors')).toMatchObject({ isError: false });
  });

  it('a change that is open when it is paused can still be decided', async () => {
    const answer = openDiff(agent, file, NEW);
    const id = await waiting();
    await house.run('pause');
    await house.run('review', '--accept', id);
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
  });
});

describe('hawser status', () => {
  it('says who is connected, what is shared and what waits', async () => {
    const answer = openDiff(agent, file, NEW);
    const id = await waiting();
    await agent.call('openFile', { filePath: file, startText: 'two', endText: 'four' });
    const [, printed = '', lockPath = ''] = /listening on (\S+) lock (.+)$/.exec(bridge.line) ?? [];
    const address = `${printed}/`;
    const sockets = ['.codex/ipc/ipc.sock', `codex-ipc/ipc-${process.getuid?.()}.sock`].map((each) =>
      join(house.home, each),
    );
    const found = JSON.parse((await house.run('status', '--json')).out);
    const client = { id: 'claude-code-1', name: 'claude-code', version: '2.1.325', state: 'ready', calls: 2 };
    expect(found).toEqual({
      protocol: 4,
      acceptsEditors: true,
      pid: bridge.child.pid,
      version: expect.any(String),
      editor: 'Hawser',
      folders: [house.workspace],
      paused: false,
      agents: expect.arrayContaining([
        {
          name: 'claude-code',
          endpoints: [address],
          discoveryFiles: [lockPath],
          clients: [{ ...client, lastActivity: expect.any(String), lastChange: 'proposed' }],
        },
        { name: 'codex', endpoints: sockets.map((path) => `unix:${path}`), discoveryFiles: sockets, clients: [] },
      ]),
      gates: [],
      languagePrograms: [],
      uncheckedLanguages: [],
      diagnosticsRevision: expect.any(Number),
      selectsInViews: true,
      shared: { kind: 'selection', path: file, first: 1, last: 3 },
      proposals: 1,
      reviewers: ['user'],
    });
    // Jetbrains has to be asked for.
    const open = found.agents.map(({ name }: { name: string }) => name);
    expect(open).toEqual(['claude-code', 'codex', 'copilot-cli', 'gemini-cli', 'mcp', 'qwen-code']);
    const lines = (await house.run('status')).out.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `hawser ${found.version}, process ${bridge.child.pid}, editor Hawser`,
        `workspace  ${house.workspace}`,
        `agents     claude-code at ${address}`,
        'client     claude-code 2.1.325 (ready)',
        'reviewed   yes: Its changes are reviewed here: it asked last time.',
        `agents     codex at ${sockets.map((path) => `unix:${path}`).join(' ')}`,
        'languages  no language servers found',
        `shared     ${file}, lines 2 to 4 selected`,
        'proposals  1 open, reviewed by user',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('agents '))).toHaveLength(open.length);
    await house.run('review', '--reject', id);
    await answer;
  });

  it('a denied file that is open is not shared', async () => {
    await agent.call('openFile', { filePath: join(house.workspace, '.env') });
    expect((await (await control()).status()).shared).toEqual({ kind: 'nothing', reason: 'denied' });
  });
});

describe('hawser mention', () => {
  it('points agents to a file, or to lines of it', async () => {
    const whole = agent.notification('at_mentioned');
    expect(await house.run('mention', 'a.txt')).toMatchObject({ code: 0 });
    expect(await whole).toEqual({ filePath: file });
    const lines = agent.notification('at_mentioned');
    expect((await house.run('mention', 'a.txt:2-3')).out).toBe('hawser: mentioned a.txt:2-3 (sent to 1 agent)\n');
    expect(await lines).toEqual({ filePath: file, lineStart: 1, lineEnd: 2 });
  });

  it('says why it cannot', async () => {
    const run = async (...args: string[]) => {
      const { code, err } = await house.run('mention', ...args);
      return [code, err.trim()];
    };
    expect(await run('nowhere.txt')).toEqual([2, expect.stringContaining('There is no file')]);
    expect(await run('a.txt:3-2')).toEqual([2, 'hawser: The last line comes before the first: a.txt:3-2']);
    expect(await run('.env')).toEqual([
      1,
      `hawser: Denied: the text of ${join(house.workspace, '.env')} is never sent`,
    ]);
    writeFileSync(join(house.home, 'outside.txt'), '');
    expect(await run('../outside.txt')).toEqual([1, expect.stringContaining('Outside the workspace')]);
    const client = await control();
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const changed = ({ agents }: Status) => agents.every((each) => each.clients.length === 0) && leave();
    await client.attach(new User(), changed);
    agent.close();
    await left;
    expect(await run('a.txt')).toEqual([1, 'hawser: No agent is connected; start one, then mention the file again']);
  });
});

describe('which bridge', () => {
  it('that of the folder above, when the folder itself has none; a named one must be right', async () => {
    const inner = join(house.workspace, 'src', 'deep');
    mkdirSync(inner, { recursive: true });
    symlinkSync(house.workspace, join(house.home, 'link'));
    expect(await house.runIn(inner, 'review', '--list')).toMatchObject({ code: 0 });
    expect(await house.runIn(house.home, 'review', '--list', '-w', 'link')).toMatchObject({ code: 0 });
    expect(await house.run('review', '--list', '-w', inner)).toMatchObject({
      code: 6,
      err: `hawser: No bridge serves ${inner}. Run hawser there, or open the folder in Neovim with the plugin\n`,
    });
    expect(await house.run('status', '-w', 'nowhere')).toMatchObject({ code: 5 });
  });

  it('none: each command says so with its code', async () => {
    expect(await house.run('stop')).toMatchObject({ code: 0, out: `hawser: stopped (process ${bridge.child.pid})\n` });
    for (const args of [['review', '--list'], ['status'], ['pause'], ['resume'], ['mention', 'a.txt'], ['stop']]) {
      expect(await house.run(...args)).toEqual({
        code: 6,
        out: '',
        err: `hawser: No bridge serves ${house.workspace}. Run hawser there, or open the folder in Neovim with the plugin\n`,
      });
    }
    expect(readdirSync(controlFolder(controlHome()))).toEqual([]);
  });

  it('a bridge that was killed leaves a socket that its next start takes over', async () => {
    const exited = once(bridge.child, 'exit');
    bridge.child.kill('SIGKILL');
    await exited;
    expect(readdirSync(controlFolder(controlHome()))).toHaveLength(1);
    expect(await house.run('status')).toMatchObject({ code: 6 });
    const next = await house.serve();
    await expect.poll(() => readdirSync(controlFolder(controlHome()))).toHaveLength(1);
    expect(JSON.parse((await house.run('status', '--json')).out).pid).toBe(next.child.pid);
  });

  it('of two bridges in one workspace, a command asks for --bridge and talks to that one', async () => {
    const second = await house.serve();
    const pids = [bridge.child.pid, second.child.pid];
    const { code, err } = await house.run('status');
    expect(code).toBe(2);
    expect(err).toContain('2 bridges serve this workspace: ');
    expect(err).toContain('Name one with --bridge PID');
    for (const pid of pids) {
      expect(err).toContain(`${pid} (Hawser)`);
      expect(JSON.parse((await house.run('status', '--json', '--bridge', String(pid))).out).pid).toBe(pid);
    }
    expect(await house.run('stop', '--bridge', String(second.child.pid))).toMatchObject({ code: 0 });
    expect(JSON.parse((await house.run('status', '--json')).out).pid).toBe(bridge.child.pid);
    expect(await house.run('status', '--bridge', '1')).toMatchObject({
      code: 6,
      err: 'hawser: No bridge has process id 1\n',
    });
    expect(await house.run('status', '--bridge', 'mine')).toMatchObject({ code: 2 });
  });
});
