import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Household, temporaryHousehold } from '../../testing/program.ts';
import { holdingFor } from '../hold/possible.ts';
import { unshareOptions } from '../hold/scripts.ts';

// The real thing: commands run over an overlay of the system.
const trial = mkdtempSync(join(tmpdir(), 'hawser-trial-'));
const holding = await holdingFor('/nowhere', { stateFolder: trial, temporaryFolder: trial });
rmSync(trial, { recursive: true, force: true });
const why = holding.kind === 'impossible' ? holding.reason : '';
if (why !== '') console.log(`Not run: commands can't be held here: ${why}`);

let house: Household;

interface Hook {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly out: string; readonly code: number | null }>;
}

function hook(input: unknown, ...args: string[]): Hook {
  const child = house.start(['gate', 'hook', 'claude-code', '--shell', 'hold', ...args]);
  let out = '';
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => process.stderr.write(data));
  child.stdin?.end(JSON.stringify(input));
  return { child, ended: once(child, 'close').then(([code]) => ({ out, code })) };
}

const input = (hook_event_name: string, command: string, more: object = {}) => ({
  ...{ session_id: 's', cwd: house.workspace, permission_mode: 'bypassPermissions', hook_event_name },
  ...{ tool_name: 'Bash', tool_input: { command, ...more } },
});

/** What the agent runs in the command's place. */
async function before(command: string): Promise<string> {
  const { out, code } = await hook(input('PreToolUse', command)).ended;
  expect(code).toBe(0);
  const { updatedInput, permissionDecision } = JSON.parse(out).hookSpecificOutput;
  // Its own question about the command is not answered.
  expect(permissionDecision).toBeUndefined();
  return updatedInput.command;
}

function shell(command: string) {
  const user = house.user === undefined ? {} : { uid: house.user, gid: house.user };
  const options = { cwd: house.workspace, env: house.env, encoding: 'utf8', ...user } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], options);
  return { status, stdout, stderr };
}

/** Runs a command as an agent does, up to the hook after it. */
async function run(command: string): Promise<{ readonly result: ReturnType<typeof shell>; readonly after: Hook }> {
  const text = await before(command);
  const result = shell(text);
  return { result, after: hook(input('PostToolUse', text)) };
}

async function told({ ended }: Hook): Promise<string> {
  const { out, code } = await ended;
  expect(code).toBe(0);
  return out === '' ? '' : JSON.parse(out).hookSpecificOutput.additionalContext;
}

interface Summary {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly effect: string;
}

async function proposals(count: number): Promise<readonly Summary[]> {
  for (;;) {
    const { code, out } = await house.run('review', '--list', '--json');
    const found = code === 0 ? JSON.parse(out) : [];
    if (found.length === count) return found;
  }
}

const decide = async (...args: string[]) => expect(await house.run('review', ...args)).toMatchObject({ code: 0 });
const at = (name: string) => join(house.workspace, name);
const text = (name: string) => readFileSync(at(name), 'utf8');

function write(files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
}

const layers = () => {
  const folder = join(house.home, '.local/state/hawser/hold');
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{12}$/.test(name)) : [];
};

describe.skipIf(why !== '')('a command that is held', () => {
  beforeEach(async () => {
    house = temporaryHousehold();
    execFileSync('git', ['init', '--quiet', house.workspace]);
    write({ '.gitignore': 'dist/\n*.log\n', 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n' });
    await house.serve('--agents', 'mcp', '--noticing', 'off');
  });

  it('runs as it is, and changes nothing before the user has decided', async () => {
    const { result, after } = await run(
      "sed -i 's/two/TWO/; s/nine/NINE/' a.txt; cat a.txt | grep NINE; echo oops >&2; pwd; exit 3",
    );
    expect(result).toEqual({ status: 3, stdout: `NINE\n${house.workspace}\n`, stderr: 'oops\n' });
    const [proposal] = await proposals(1);
    expect([proposal?.path, text('a.txt')]).toEqual([at('a.txt'), expect.stringContaining('two')]);
    await decide('--accept', proposal?.id ?? '', '--hunks', '2', '--note', 'two stays');
    expect(await told(after)).toMatch(/Kept: a\.txt[\s\S]*two stays/);
    expect(text('a.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nten\n');
    expect(layers()).toEqual([]);
  });

  it('is a set: new, deleted, moved and linked files, modes, and files that are no text', async () => {
    write({ 'gone.txt': 'gone\n', 'old/deep.txt': 'deep\n', 'run.sh': 'true\n', 'logo.bin': Buffer.from([0, 1]) });
    symlinkSync('a.txt', at('link'));
    chmodSync(at('run.sh'), 0o644);
    const command = [
      'rm gone.txt; mv old new; chmod 755 run.sh; ln -sfn run.sh link; printf "\\0\\2" > logo.bin',
      'echo "#!/bin/sh" > made.sh; chmod 755 made.sh; mkdir empty; rm -f nowhere',
    ].join('\n');
    const { after } = await run(command);
    const found = await proposals(7);
    expect(existsSync(at('gone.txt')) && !existsSync(at('made.sh'))).toBe(true);
    for (const { id } of found) await decide('--accept', id);
    expect(await told(after)).toBe(
      'The user reviewed what this command changed in the project. Kept: gone.txt, link, logo.bin, made.sh, new/deep.txt, old/deep.txt, run.sh.',
    );
    const names = readdirSync(house.workspace).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['a.txt', 'empty', 'link', 'logo.bin', 'made.sh', 'new', 'run.sh']);
    expect(readlinkSync(at('link'))).toBe('run.sh');
    expect(readFileSync(at('logo.bin'))).toEqual(Buffer.from([0, 2]));
    const modes = ['run.sh', 'made.sh'].map((name) => statSync(at(name)).mode & 0o777);
    expect([modes, text('new/deep.txt')]).toEqual([[0o755, 0o755], 'deep\n']);
  });

  it('what is rejected is as it was, and the model is told', async () => {
    const { after } = await run('rm -rf .gitignore; mkdir -p sub; echo x > sub/n.txt');
    const [first, second] = await proposals(2);
    await decide('--reject', first?.id ?? '', '--note', 'keep it');
    await decide('--accept', second?.id ?? '');
    expect(await told(after)).toMatch(
      /Kept: sub\/n\.txt\. Not kept, and as before the command: \.gitignore\.[\s\S]*keep it/,
    );
    expect([text('.gitignore'), text('sub/n.txt')]).toEqual(['dist/\n*.log\n', 'x\n']);
  });

  it('a folder that is removed and made again has lost its other files', async () => {
    write({ 'sub/a.txt': 'a\n', 'sub/b.txt': 'b\n' });
    const { after } = await run('rm -rf sub; mkdir sub; echo c > sub/c.txt');
    const found = await proposals(3);
    expect(found.map(({ path, effect }) => [path, effect])).toEqual([
      [at('sub/a.txt'), 'delete'],
      [at('sub/b.txt'), 'delete'],
      [at('sub/c.txt'), 'edit'],
    ]);
    for (const { id } of found) await decide('--accept', id);
    await told(after);
    expect(readdirSync(at('sub'))).toEqual(['c.txt']);
  });

  it('what git ignores, and what git keeps, passes without a question', async () => {
    write({ 'dist/old.js': 'old\n', 'dist/sub/x.js': 'x\n' });
    const { result, after } = await run(
      'rm -rf dist && mkdir -p dist && echo new > dist/new.js && echo x > x.log && git add a.txt && git -c user.name=t -c user.email=t@t commit -qm first && git log --format=%s',
    );
    expect(result).toMatchObject({ status: 0, stdout: 'first\n' });
    expect(await told(after)).toBe('');
    expect([readdirSync(at('dist')), text('x.log')]).toEqual([['new.js'], 'x\n']);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: house.workspace, encoding: 'utf8' })).toBe(
      '?? .gitignore\n',
    );
    expect(layers()).toEqual([]);
  });

  it('a command that changes nothing needs no bridge and says nothing', async () => {
    const { result, after } = await run('ls');
    expect(result).toMatchObject({ status: 0, stdout: 'a.txt\n' });
    expect(await told(after)).toBe('');
  });

  it('the shell goes where the command went', async () => {
    write({ 'sub/a.txt': 'a\n' });
    expect(shell(`${await before('cd sub; true')}; pwd`).stdout).toBe(`${at('sub')}\n`);
    expect(shell(`${await before('exit 7')}; echo $?`).stdout).toBe('7\n');
  });

  it('nobody decides in time: nothing is kept, and the model is told', async () => {
    const wrapped = await before('echo x > n.txt');
    shell(wrapped);
    const words = await told(hook(input('PostToolUse', wrapped), '--limit', '1'));
    expect(words).toMatch(/^Nobody decided in time\. What this command changed .* is not kept/);
    expect(existsSync(at('n.txt'))).toBe(false);
    await proposals(0);
  });

  it('the hook is killed while the user looks: nothing is kept, and its layer goes', async () => {
    const { after } = await run('echo x > n.txt');
    await proposals(1);
    after.child.kill('SIGKILL');
    await proposals(0);
    await run('true').then(({ after: next }) => told(next));
    expect([existsSync(at('n.txt')), layers()]).toEqual([false, []]);
  });

  it('what it leaves running ends with it, and the model is told', async () => {
    const { after } = await run('(while :; do sleep 0.05; done) > /dev/null 2>&1 &');
    expect(await told(after)).toMatch(/that the command left running/);
  });

  it('a process lives on that has the number of its namespace, which the system gives again', async () => {
    const wrapped = await before('echo x > n.txt');
    shell(wrapped);
    const [id = ''] = layers();
    const user = house.user === undefined ? {} : { uid: house.user, gid: house.user };
    const way = holding.kind === 'possible' && house.user === undefined ? holding.way : 'user namespace';
    const other = spawn('unshare', [...unshareOptions(way).split(' '), 'sh', '-c', 'echo begun; exec sleep 600'], user);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const note = join(house.home, '.local/state/hawser/hold', id, 'ns');
    writeFileSync(note, readlinkSync(`/proc/${other.pid}/ns/mnt`));
    const after = hook(input('PostToolUse', wrapped));
    const [found] = await proposals(1);
    await decide('--accept', found?.id ?? '');
    expect(await told(after)).not.toContain('left running');
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });

  it('where a layer can not be mounted the command does not run, and the next one is shown', async () => {
    const wrapped = await before('echo x > n.txt');
    const words = await told(hook(input('PostToolUse', wrapped)));
    expect(words).toContain('Make exactly the same call again');
    const { ended } = hook(input('PreToolUse', 'echo x > n.txt'));
    const [proposal] = await proposals(1);
    expect(proposal).toMatchObject({ effect: 'command' });
    await decide('--accept', proposal?.id ?? '');
    expect((await ended).out).toContain('"allow"');
  });

  it('a command in the background is not held but shown, with the reason', async () => {
    const { ended } = hook(input('PreToolUse', 'make', { run_in_background: true }));
    const [proposal] = await proposals(1);
    const { out } = await house.run('review', '--show', proposal?.id ?? '', '--json');
    expect(JSON.parse(out)).toMatchObject({ effect: 'command', advice: expect.stringContaining('in the background') });
    await decide('--accept', proposal?.id ?? '');
    const { permissionDecision, updatedInput } = JSON.parse((await ended).out).hookSpecificOutput;
    expect([permissionDecision, updatedInput]).toEqual(['allow', undefined]);
  });

  it('switching it on says where commands can not be held', async () => {
    const { out } = await house.run('gate', 'on', 'qwen-code', 'claude-code', '--shell', 'hold', '--yes');
    expect(out.match(/.*can't be held.*/g)).toEqual([
      "Qwen Code: what commands change can't be held: the agent's hook can't put another command in its place. They are shown before they run.",
    ]);
  });

  it('more files than anybody reads are decided on as one', async () => {
    const { after } = await run('for i in $(seq 300); do echo $i > f$i.txt; done; rm a.txt');
    const [proposal] = await proposals(1);
    expect(proposal).toMatchObject({ effect: 'command', title: 'Changes of 301 files' });
    await decide('--accept', proposal?.id ?? '');
    expect(await told(after)).toContain('Kept: Changes of 301 files');
    expect([text('f300.txt'), existsSync(at('a.txt'))]).toEqual(['300\n', false]);
  });

  it.skipIf(process.getuid?.() !== 0)('works for an ordinary user (needs root to become one)', async () => {
    await house.dispose();
    house = temporaryHousehold();
    execFileSync('git', ['init', '--quiet', house.workspace]);
    write({ 'a.txt': 'ten\n' });
    house.user = 12345;
    execFileSync('chown', ['-R', '12345:12345', house.home]);
    await house.serve('--agents', 'mcp', '--noticing', 'off');
    const { result, after } = await run('id -u; echo x >> a.txt');
    expect(result.stdout).toBe('12345\n');
    const [proposal] = await proposals(1);
    await decide('--accept', proposal?.id ?? '');
    expect(await told(after)).toContain('Kept: a.txt');
    expect([text('a.txt'), statSync(at('a.txt')).uid]).toEqual(['ten\nx\n', 12345]);
  });
});
