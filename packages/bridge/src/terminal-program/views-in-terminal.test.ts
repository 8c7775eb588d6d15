import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { npmPrograms, writeProgram } from '../../testing/language-programs.ts';
import { type Household, PROGRAM, temporaryHousehold } from '../../testing/program.ts';
import { shellLine, type TmuxScreen } from '../../testing/tmux.ts';

let house: Household;

beforeEach(() => {
  house = temporaryHousehold();
  file('src/review/queue.ts', 'export class Queue {\n  size = 0;\n}\n');
  file('src/main.ts', 'const answer: number = "42";\n');
  file('.env', 'KEY=1\n');
});

function file(name: string, text: string): void {
  const path = join(house.workspace, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const open = (args: readonly string[], [columns, rows]: readonly [number, number]) =>
  house.screen(shellLine([process.execPath, PROGRAM, ...args]), { columns, rows });

/** But for the socket of the terminal. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('tmux-'));

const rowsFit = (text: string, columns: number) => text.split('\n').every((row) => row.length <= columns);

/** Walks through every view but review, with an agent that has found the bridge. */
async function walk(view: TmuxScreen, line: string, columns: number): Promise<void> {
  await view.press('4');
  await view.shows('No messages yet');
  const agent = await house.agent(line);
  await view.shows(/answer initialize/);

  await view.press('2');
  expect(await view.shows('denied: agents don’t see its text')).toContain('src/review/queue.ts');
  await view.press('/', 'r', 'e', 'v', 'q');
  await view.shows('> src/review/queue.ts');
  await view.press('Enter');
  await view.shows('agents see that it is open');
  const selected = agent.notification('selection_changed', ({ text }) => text.includes('size'));
  await view.press('j', 'v', 'j');
  expect((await selected).text).toBe('  size = 0;\n}\n');
  const mention = agent.notification('at_mentioned');
  await view.press('@');
  expect(await mention).toMatchObject({ lineStart: 1, lineEnd: 2 });
  expect(rowsFit(await view.shows('queue.ts:2-3 sent to 1 agent.'), columns)).toBe(true);

  await view.press('4');
  await view.shows('at_mentioned');
  await view.press('/');
  for (const key of 'method:init') await view.press(key);
  await view.press('Enter');
  await view.shows(/3 of \d+: method:init/);
  await view.press('s', 'Enter');
  await view.shows('Saved 3 messages');
  await view.press('g', 'Enter');
  expect(rowsFit(await view.shows('"protocolVersion"'), columns)).toBe(true);

  await view.press('3');
  await view.shows(/> claude-code 2\.1\.325 +connected +depends/);
  await view.press('?');
  expect(rowsFit(await view.shows('disconnect the chosen agent'), columns)).toBe(true);
  await view.press('x', 'd');
  await view.shows('Disconnect claude-code (claude-code-1)?');
  await view.press('y');
  await agent.closed;
  await view.shows('it may connect again');
}

describe('the views of hawser serve, at 80×24', () => {
  it('are reached by their digits and work without a word of the manual', async () => {
    const view = await open(
      ['serve', '--agents', 'claude-code', '--diagnostics', 'echo "src/main.ts(1,7): error TS2322: wrong type"'],
      [80, 24],
    );
    await view.shows('no agent connected');
    await walk(view, await house.lineOf('claude-code'), 80);
    await view.press('5');
    await view.shows('> error   src/main.ts:1:7 wrong type');
    await view.press('Enter');
    expect(await view.shows('src/main.ts  agents see that it is open')).toContain('>1 const answer');
    await view.resize(40, 10);
    await view.shows((text) => rowsFit(text, 40) && text.includes('>1 const answer'));
  });
});

describe('hawser in a folder where nothing waits', () => {
  it('says what it serves, which agents are here and whether they are reviewed, and what checks the files', async () => {
    for (const command of ['claude', 'codex']) writeProgram(join(house.home, 'bin', command), '#!/bin/sh\n');
    house.moreEnv.PATH = `${join(house.home, 'bin')}:${house.env.PATH}`;
    const view = await open(['serve'], [80, 24]);
    const text = await view.shows('Languages');
    expect(text.split('\n')[1]).toBe(' work | no agent connected | shares no file');
    expect(text).toContain(`  Serving ${house.workspace}\n`);
    expect(text).toMatch(/^ {4}Claude Code {2}hawser run claude {2}Its changes are reviewed here/m);
    expect(text).toMatch(/^ {4}Codex CLI {4}hawser run codex {3}It never asks by itself: its changes are not$/m);
    expect(text).not.toMatch(/Gemini|ws:|unix:/);
    expect(text).toContain(`    TypeScript  ${UNCHECKED}`);
    const agent = await house.agent(await house.lineOf('claude-code'));
    await view.shows(/^ {4}Claude Code {2}connected /m);
    agent.close();
    await view.shows(/^ {4}Claude Code {2}hawser run claude/m);
  });

  it('diagnostics do not reassure over a file that nothing checks, and find its error once something does', async () => {
    // Without it, the language server lets npm install types below the home folder, which is removed after the test.
    file('tsconfig.json', '{ "typeAcquisition": { "enable": false } }');
    const view = await open(['serve', '--agents', 'claude-code'], [80, 24]);
    await view.shows('Nothing waits');
    await view.press('2', '/', 'm', 'a', 'i', 'n', 'Enter');
    await view.shows('agents see that it is open');
    await view.press('5');
    const text = await view.shows('Nothing is checked here.');
    expect(text).toContain(`  TypeScript  ${UNCHECKED}`);
    expect(text).toContain('npm i -D typescript typescript-language-server adds one');
    // What that command would bring.
    mkdirSync(join(house.workspace, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(join(npmPrograms, 'tsc'), join(house.workspace, 'node_modules', '.bin', 'tsc'));
    // The survey of programs is a few seconds old at most.
    await vi.waitFor(
      async () => {
        await view.press('R');
        await view.shows(/not checked: tsc --lsp 7\S* is not trusted/, 1500);
      },
      { timeout: 60_000, interval: 500 },
    );
    await view.press('T');
    await view.shows('y trusts the folder');
    await view.press('y');
    await view.shows(/checked by tsc --lsp 7/);
    await view.press('R');
    expect(await view.shows('1 error')).toContain('> error   src/main.ts:1:7');
  });

  it('the user learns at the start that language servers of the folder need trust', async () => {
    writeProgram(join(house.workspace, 'node_modules', '.bin', 'vtsls'), '');
    const view = await open(['serve', '--agents', 'claude-code'], [80, 24]);
    await view.shows('Language servers of this folder are not run: T if you trust it.');
    await view.press('T');
    await view.shows('y trusts the folder');
    await view.press('n', 'T');
    await view.shows('y trusts the folder');
    await view.press('y');
    await view.shows('checked by vtsls');
    await view.press('T');
    await view.shows('No language server waits for your trust.');
    expect((await house.run('trust', '--list')).out).toBe(`${house.workspace}\n`);
  });
});

const UNCHECKED = 'not checked: no language server was found';

describe('the views of hawser review, at 200×50 and without colours', () => {
  it('work from another terminal', async () => {
    house.moreEnv.NO_COLOR = '1';
    const bridge = await house.serve('--agents', 'claude-code');
    const view = await open(['review'], [200, 50]);
    await view.shows('no agent');
    await walk(view, bridge.line, 200);
    const saved = join(house.workspace, 'hawser-traffic.jsonl');
    expect(statSync(saved).mode & 0o777).toBe(0o600);
    expect(readFileSync(saved, 'utf8')).toContain('"method":"initialize"');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(await view.colouredText()).not.toMatch(/\x1b\[(?:[\d;]*;)?3[1-6]m/);
    await view.press('q');
    await view.shows('ended 0');
  });
});

describe('hawser demo', () => {
  it('shows a proposal, says what the agent received, and leaves nothing behind', async () => {
    const before = filesIn(house.home);
    const view = await open(['demo'], [80, 24]);
    expect(await view.shows('hunk 1 of 3')).toContain('DEMO  an agent proposes a change: y n decide a hunk');
    await view.press('a');
    await view.shows('the agent received your text and wrote it: see 2 Files, 4 Traffic; q ends');
    await view.press('2', '/', 'g', 'r', 'e', 'e', 't', 'Enter');
    await view.shows('export function greet(name: string): string {');
    await view.press('4');
    await view.shows(/tools\/call {2}openDiff/);
    await view.press('q');
    const left = await view.shows('ended 0');
    expect(left).toContain('That was the demo; its folder is gone.');
    expect(filesIn(house.home)).toEqual(before);
  });

  it('a rejected change is not written', async () => {
    const view = await open(['demo'], [200, 50]);
    await view.shows('hunk 1 of 3');
    await view.press('r');
    await view.shows('the agent received your no and wrote nothing');
    await view.press('C-c');
    await view.shows('ended 0');
  });

  it('starts with d while nothing waits, apart from the bridge, and comes back to it', async () => {
    const view = await open(['serve', '--agents', 'claude-code'], [80, 24]);
    await view.shows('d  a demo of a review');
    const before = filesIn(house.workspace);
    await view.press('d');
    await view.shows('hunk 1 of 3');
    expect((await house.run('status')).out).toContain('proposals  0 open');
    await view.press('q');
    await view.shows('Nothing waits for a decision.');
    expect(filesIn(house.workspace)).toEqual(before);
  });

  it('needs a terminal, and says so', async () => {
    const { code, err } = await house.run('demo');
    expect([code, err]).toEqual([2, 'hawser: hawser demo needs a terminal\n']);
  });
});
