import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../testing/program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { commands } from './commands.ts';

let home: string;
let workspace: string;
let children: ChildProcess[];
/** Who runs the program, if not the user of this process. */
let user: number | undefined;

beforeEach(() => {
  home = temporaryFolder();
  workspace = join(home, 'work');
  mkdirSync(workspace);
  children = [];
  user = undefined;
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
});

function hawser(...args: string[]): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: workspace,
    env,
    ...(user !== undefined && { uid: user, gid: user }),
  });
  children.push(child);
  return child;
}

async function started(...args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = hawser('serve', '--headless', ...args);
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string];
  return { child, line };
}

/** Runs to its end. */
async function outcome(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = hawser(...args);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    err += data;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

const locks = () => {
  try {
    return readdirSync(join(home, '.claude', 'ide'));
  } catch {
    return [];
  }
};

describe('hawser serve', () => {
  it('prints one line with its address and its lock, which is there by then', async () => {
    const { line } = await started();
    const [, port] = /^hawser: listening on ws:\/\/127\.0\.0\.1:(\d+) lock (.+)$/.exec(line) ?? [];
    expect(line).toBe(
      `hawser: listening on ws://127.0.0.1:${port} lock ${join(home, '.claude', 'ide', `${port}.lock`)}`,
    );
    expect(locks()).toEqual([`${port}.lock`]);
  });

  it('prints a second line with the other agents that it is open for', async () => {
    const child = hawser('serve', '--headless', '--agents', 'claude-code,mcp,qwen-code');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      if (lines.push(line) === 2) break;
    }
    expect(lines).toEqual([
      expect.stringMatching(/^hawser: listening on ws:/),
      'hawser: also open for mcp, qwen-code; hawser status shows where',
    ]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with 0 and leaves no lock', async (signal) => {
    const { child } = await started();
    const exited = once(child, 'exit');
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(locks()).toEqual([]);
  });

  it('a signal that comes again and again, as from a terminal and from npm, leaves no lock either', async () => {
    const { child } = await started();
    const exited = once(child, 'exit');
    const again = setInterval(() => child.kill('SIGTERM'), 1);
    const outcome = await exited;
    clearInterval(again);
    expect(outcome).toEqual([0, null]);
    expect(locks()).toEqual([]);
  });

  it('killed with -9 leaves a lock that its next start takes over', async () => {
    const { child, line } = await started();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(locks()).toHaveLength(1);
    expect((await started()).line).toBe(line);
    expect(locks()).toHaveLength(1);
  });

  it('says so, with an exit code for each, when it cannot serve', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    expect(await outcome('serve', '--port', String(port))).toMatchObject({
      code: 3,
      err: expect.stringContaining(`hawser: Port ${port} is in use; choose another\n`),
    });
    taken.close();
    expect(await outcome('serve', '--workspace', 'nowhere')).toEqual({
      code: 5,
      out: '',
      err: `hawser: There is no folder ${join(workspace, 'nowhere')}; name one with --workspace\n`,
    });
    expect(await outcome('serve', '--agents', 'garage')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Unknown agent: garage. Known are claude-code, codex, copilot-cli,'),
    });
  });

  it('an unwritable lock folder is said', async () => {
    mkdirSync(join(home, '.claude'));
    chmodSync(join(home, '.claude'), 0o500);
    if (process.getuid?.() === 0) {
      // Root may write anywhere.
      user = 12345;
      execFileSync('chown', ['-R', `${user}:${user}`, home]);
    }
    expect(await outcome('serve', '--agents', 'claude-code')).toMatchObject({
      code: 4,
      err: expect.stringContaining('cannot be written'),
    });
  });
});

describe('hawser stop', () => {
  it('ends the bridge of the workspace, and says so when there is none', async () => {
    const { child } = await started();
    const exited = once(child, 'exit');
    expect(await outcome('stop')).toMatchObject({ code: 0, out: `hawser: stopped (process ${child.pid})\n` });
    await exited;
    expect(await outcome('stop')).toMatchObject({
      code: 6,
      err: `hawser: No bridge serves ${workspace}. Run hawser there, or open the folder in Neovim with the plugin\n`,
    });
  });
});

describe('a command that does not exist', () => {
  it('is answered with the one that was probably meant, and nothing is served', async () => {
    expect(await outcome('reveiw')).toEqual({
      code: 2,
      out: '',
      err: 'hawser: Unknown command reveiw. Did you mean review? hawser --help lists the commands.\n',
    });
    expect(await outcome('--hedless')).toMatchObject({ code: 2, err: expect.stringContaining('mean --headless?') });
    expect(await outcome('statsu', '--json')).toMatchObject({ code: 2, err: expect.stringContaining('mean status?') });
    expect(locks()).toEqual([]);
  });

  it('but is a folder, is answered with how to serve it', async () => {
    expect(await outcome('..')).toEqual({
      code: 2,
      out: '',
      err: 'hawser: .. is a folder. To serve it: hawser --workspace ..\n',
    });
  });
});

describe('hawser --version', () => {
  it.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await outcome(flag)).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('hawser --help', () => {
  it('lists the commands in groups and ends with 0', async () => {
    const { code, out } = await outcome('--help');
    expect(code).toBe(0);
    for (const { name } of commands) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    const titles = out.match(/^[A-Z].*:$/gm);
    expect(titles).toEqual(['Bridge:', 'Review:', 'Agents:', 'MCP servers:', 'Setup:', 'Options:']);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('each command has its own', async () => {
    for (const command of ['serve', 'review', 'status', 'pause', 'resume', 'mention', 'stop']) {
      expect(await outcome(command, '--help')).toMatchObject({
        code: 0,
        out: expect.stringContaining(`Usage: hawser ${command} [options]`),
      });
    }
  });
});

it('in a folder that was removed, commands that need one say so', () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && "$@" --version && exec "$@" status';
  const run = spawnSync('sh', ['-c', script, 'sh', process.execPath, PROGRAM], { cwd: home, encoding: 'utf8' });
  expect(run).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+/),
    stderr: expect.stringMatching(
      /^hawser: The current folder does not exist any more\. Change to another one first\.$/m,
    ),
  });
});

it('what can not be written to stdout fails with a line that says why', (context) => {
  if (!existsSync('/dev/full')) context.skip('this system has no /dev/full');
  const script = 'exec "$@" --help > /dev/full';
  const run = spawnSync('sh', ['-c', script, 'sh', process.execPath, PROGRAM], { cwd: home, encoding: 'utf8' });
  expect(run).toMatchObject({
    status: 1,
    stderr: "hawser: Can't write to stdout: ENOSPC: no space left on device, write\n",
  });
});
