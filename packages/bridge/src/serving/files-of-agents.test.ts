import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '@hawser/user-files/private-file';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectAgent } from '../../testing/agent.ts';
import { type Household, temporaryHousehold } from '../../testing/program.ts';

let house: Household;

beforeEach(() => {
  house = temporaryHousehold();
});

describe('an agent that names what is not a regular file', () => {
  it('is answered at once, however often, and the bridge goes on', async () => {
    const { line } = await house.serve();
    const agent = await house.agent(line);
    const path = (name: string) => join(house.workspace, name);
    execFileSync('mkfifo', [path('pipe')]);
    mkdirSync(path('folder'));
    writeFileSync(path('huge'), '');
    truncateSync(path('huge'), 500 * 1024 * 1024);
    const expected = [
      ['pipe', 'is a named pipe'],
      ['folder', 'is a directory'],
      ['huge', 'has more than 33554432 bytes, which is the limit'],
    ] as const;
    const calls = expected.flatMap(([name, why]) =>
      Array.from({ length: 8 }, async (_, index) => {
        const tab_name = `${name} ${index}`;
        const changed = { old_file_path: path(name), new_file_path: path(name), new_file_contents: 'x', tab_name };
        const results = [
          await agent.callRaw('openDiff', changed),
          await agent.callRaw('openFile', { filePath: path(name) }),
          await agent.callRaw('openFile', { filePath: path(name), startText: 'x' }),
        ];
        for (const { isError, texts } of results) {
          expect(isError).toBe(true);
          expect(texts.join()).toContain(why);
        }
      }),
    );
    await Promise.all(calls);
    writeFileSync(path('a.ts'), 'one\n');
    expect(await agent.call('openFile', { filePath: path('a.ts') })).toEqual([`Opened file: ${path('a.ts')}`]);
  });
});

describe('SIGTERM', () => {
  it('ends a bridge, without its lock, though every thread for file access is stuck', async () => {
    const pipe = join(house.home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const preload = join(house.home, 'stuck.cjs');
    // A blocking open waits as if on a network file system that does not answer. SIGUSR2 starts it.
    const open = `for (let i = 0; i < 8; i++) require('fs').open(${JSON.stringify(pipe)}, 'r', () => {});`;
    writeFileSync(preload, `process.on('SIGUSR2', () => { ${open} process.stderr.write('stuck'); });`);
    house.moreEnv.NODE_OPTIONS = `--require=${preload}`;
    const { child, line, logs } = await house.serve();
    const [, lock = ''] = / lock (.+)$/.exec(line) ?? [];
    child.kill('SIGUSR2');
    await logs('stuck');
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    expect(existsSync(lock)).toBe(false);
  });
});

describe('a bridge killed with -9 while it formats a file', () => {
  it('leaves a copy beside the file, which the next start removes', async () => {
    const file = join(house.workspace, 'a.ts');
    writeFileSync(file, 'one\n');
    const format = ['--agents', 'jetbrains', '--format', 'timeout 10 tail -f {file}'];
    const { child, line } = await house.serve(...format);
    const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(line) ?? [];
    const agent = await connectAgent(url, JSON.parse(readFileSync(lock, 'utf8')).authToken, 'jetbrains');
    await agent.initialize();
    const watcher = watch(house.workspace);
    const copies = () => readdirSync(house.workspace).filter((name) => name.startsWith('.hawser-'));
    void agent.call('reformat_file', { file_path: file }).catch(() => undefined);
    while (copies().length === 0) await once(watcher, 'change');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(copies()).toHaveLength(1);
    await house.serve(...format);
    while (copies().length > 0) await once(watcher, 'change');
    watcher.close();
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    expect(existsSync(join(house.home, '.local', 'state', 'hawser', 'temporary'))).toBe(true);
  });
});

describe('the files of Copilot CLI, Gemini CLI and Qwen Code', () => {
  it('are there while the bridge runs, leave with it, and go at the next start after a crash', async () => {
    const folders = ['.copilot/ide', 'gemini/ide', '.qwen/ide', '.local/state/hawser/sockets'];
    const files = () => folders.map((folder) => namesIn(join(house.home, folder)));
    const serve = () => house.serve('--agents', 'copilot-cli,gemini-cli,qwen-code');
    const crashed = await serve();
    const before = files();
    expect(before.map((names) => names.length)).toEqual([1, 1, 1, 1]);
    await end(crashed.child, 'SIGKILL');
    expect(files()).toEqual(before);
    const { child } = await serve();
    // Gemini CLI's file has the process in its name; the others have the same name again.
    const [copilot, , qwen, sockets] = before;
    const gemini = [expect.stringContaining(`-${child.pid}-`)];
    await expect.poll(() => files()).toEqual([copilot, gemini, qwen, sockets]);
    await end(child, 'SIGTERM');
    expect(files()).toEqual([[], [], [], []]);
  });
});

describe('a temporary folder that several users share', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'opens Gemini CLI for the first one only, says to the others what to do, and harms no other adapter (needs root)',
    async () => {
      const shared = join(house.home, 'shared');
      mkdirSync(shared);
      chmodSync(shared, 0o1777);
      house.moreEnv.TMPDIR = shared;
      // Another user was first.
      for (const name of ['gemini', 'codex-ipc']) {
        mkdirSync(join(shared, name), { mode: 0o700 });
      }
      for (const path of [house.home, house.workspace]) chownSync(path, 12_345, 12_345);
      house.user = 12_345;
      const bridge = await house.serve();
      const problem =
        `${join(shared, 'gemini')} belongs to another user. ` +
        'Set TMPDIR to a folder of your own, for this program and for Gemini CLI';
      await bridge.logs(problem);
      const { out } = await house.run('status');
      expect(out).toContain(`agents     gemini-cli can't connect: ${problem}\n`);
      expect(out.match(/(?<=agents {5})\S+(?= at)/g)).toEqual([
        'claude-code',
        'codex',
        'copilot-cli',
        'mcp',
        'qwen-code',
      ]);
      await (await house.agent(bridge.line)).settled();
    },
  );
});

it.skipIf(process.getuid?.() !== 0)(
  'a port that the user may not listen on is named, and ends it (needs root)',
  async () => {
    for (const path of [house.home, house.workspace]) chownSync(path, 12_345, 12_345);
    house.user = 12_345;
    const { code, err } = await house.run('serve', '--port', '87');
    expect(err.trimEnd().split('\n').at(-1)).toBe('hawser: Port 87 needs rights that you do not have; choose another');
    expect(code).toBe(3);
  },
);

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
