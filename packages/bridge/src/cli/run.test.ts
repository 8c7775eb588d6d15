import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Household, temporaryHousehold } from '../../testing/program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { launchOf } from '../agents/launch.ts';

const place = (variables = {}) => ({ home: '/nowhere', cwd: '/nowhere', variables });

describe('an agent that is started', () => {
  const adapters = { CLAUDE_CODE_SSE_PORT: '4711', GEMINI_CLI_IDE_SERVER_PORT: '4712' };

  it('gets the environment of all adapters, and its own arguments first', () => {
    expect(launchOf('gemini', ['-p', 'hi'], adapters, place({ HOME: '/home/me' }))).toEqual({
      command: 'gemini',
      args: ['-p', 'hi'],
      environment: { HOME: '/home/me', NO_PROXY: LOOPBACK, no_proxy: LOOPBACK, ...adapters },
    });
    const asking = '--permission-mode=default';
    expect(launchOf('claude', ['--resume'], adapters, place()).args).toEqual(['--ide', asking, '--resume']);
    expect(launchOf('/opt/bin/claude', ['-c', '--ide'], adapters, place()).args).toEqual([asking, '-c', '--ide']);
  });

  const launched = (name: string, ...args: string[]) => {
    const { args: all, notice } = launchOf(name, args, {}, place());
    return { args: all, notice };
  };

  it('asks before it edits, and its user reads so, unless the arguments choose a mode', () => {
    expect(launched('claude')).toEqual({
      args: ['--ide', '--permission-mode=default'],
      notice:
        'claude starts in manual mode: it asks before each edit, and you decide here. Shift-Tab in it changes that.',
    });
    expect(launched('qwen', '--model', 'x')).toEqual({
      args: ['--approval-mode=default', '--model', 'x'],
      notice: expect.stringContaining('it asks before each edit'),
    });
    for (const chosen of [['--permission-mode', 'plan'], ['--permission-mode=auto'], ['-p', 'hi']]) {
      expect(launched('claude', ...chosen)).toEqual({ args: ['--ide', ...chosen], notice: undefined });
    }
    for (const chosen of [['--approval-mode', 'yolo'], ['-y'], ['mcp', 'list']]) {
      expect(launched('qwen', ...chosen)).toEqual({ args: chosen, notice: undefined });
    }
  });

  it('keeps the mode of its settings in the folder that it reads, also of QWEN_HOME in the home', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'q'));
    writeFileSync(join(home, 'q', 'settings.json'), JSON.stringify({ tools: { approvalMode: 'yolo' } }));
    const place = { home, cwd: home, variables: { QWEN_HOME: '~/q' } };
    expect(launchOf('qwen', [], {}, place)).toMatchObject({
      args: [],
      notice: expect.stringMatching(/^qwen starts in the mode yolo/),
    });
  });

  it('keeps the mode of its settings, those of the project first, and its user reads so', () => {
    const [home, cwd] = [temporaryFolder(), temporaryFolder()];
    const choose = (folder: string, file: string, text: string) => {
      mkdirSync(join(folder, '.claude'), { recursive: true });
      writeFileSync(join(folder, '.claude', file), text);
    };
    const start = () => launchOf('claude', [], {}, { home, cwd, variables: {} });
    const mode = (defaultMode: string) => JSON.stringify({ permissions: { defaultMode } });
    choose(home, 'settings.json', mode('acceptEdits'));
    expect(start().args).toEqual(['--ide']);
    expect(start().notice).toMatch(
      /^claude starts in the mode acceptEdits, as its settings say: .* --permission-mode=default/,
    );
    choose(cwd, 'settings.local.json', mode('default'));
    expect(start().args).toEqual(['--ide', '--permission-mode=default']);
    choose(cwd, 'settings.local.json', '{');
    choose(home, 'settings.json', mode('\u001b[2J'));
    expect(start().args).toEqual(['--ide', '--permission-mode=default']);
  });

  it('that never asks Hawser has a notice that says so', () => {
    for (const name of ['codex', 'opencode']) {
      expect(launched(name)).toEqual({ args: [], notice: expect.stringContaining(`hawser connect ${name} --write`) });
    }
    expect(launched('gemini').notice).toBeUndefined();
  });

  it('may be named as its adapter is', () => {
    const names = ['claude-code', 'gemini-cli', 'qwen-code', 'copilot-cli', 'codex', 'constructor'];
    const commands = names.map((name) => launchOf(name, [], {}, place()).command);
    expect(commands).toEqual(['claude', 'gemini', 'qwen', 'copilot', 'codex', 'constructor']);
  });

  it('gets no port if it is opencode, also not one from the environment around', () => {
    const { environment } = launchOf('opencode', [], adapters, place({ CLAUDE_CODE_SSE_PORT: '1' }));
    expect(environment).toMatchObject({ CLAUDE_CODE_SSE_PORT: '', GEMINI_CLI_IDE_SERVER_PORT: '4712' });
  });

  it('never reaches loopback through a proxy, and keeps the hosts that the user named', () => {
    const { environment } = launchOf('gemini', [], {}, place({ no_proxy: 'example.com, 127.0.0.1' }));
    expect(environment.NO_PROXY).toBe('example.com,127.0.0.1,localhost,::1');
  });
});

const LOOPBACK = 'localhost,127.0.0.1,::1';

describe('hawser run', () => {
  let house: Household;
  let report: string;

  beforeEach(() => {
    house = temporaryHousehold();
    report = join(house.home, 'report.json');
    const bin = join(house.home, 'bin');
    mkdirSync(bin);
    // Reports how it was started. Its first argument says what it does then.
    writeFileSync(
      join(bin, 'gemini'),
      `#!${process.execPath}
const fs = require('node:fs');
const [what, ...rest] = process.argv.slice(2);
const report = (more) => {
  fs.writeFileSync(${JSON.stringify(report)} + '~', JSON.stringify({ rest, cwd: process.cwd(), env: process.env, ...more }));
  fs.renameSync(${JSON.stringify(report)} + '~', ${JSON.stringify(report)});
};
if (what === 'echo') process.stdin.pipe(process.stdout);
else if (what === 'wait') {
  process.on('SIGTERM', () => { report({ signal: 'SIGTERM' }); process.exit(7); });
  setInterval(() => {}, 1000);
  console.log('waiting');
} else if (what === 'die') process.kill(process.pid, 'SIGKILL');
else { report(); process.exitCode = Number(what); }
`,
    );
    chmodSync(join(bin, 'gemini'), 0o755);
    house.moreEnv.PATH = `${bin}:${process.env.PATH}`;
  });

  const reported = () => JSON.parse(readFileSync(report, 'utf8'));

  it('starts the agent with the environment of the bridge, and ends with its exit code', async () => {
    const { line } = await house.serve();
    const [, port] = /:(\d+) lock/.exec(line) ?? [];
    expect(await house.run('run', 'gemini', '--', '3', '--model', 'x')).toEqual({ code: 3, out: '', err: '' });
    expect(reported()).toMatchObject({
      rest: ['--model', 'x'],
      cwd: house.workspace,
      env: { CLAUDE_CODE_SSE_PORT: port, NO_PROXY: LOOPBACK },
    });
    // The two dashes may be left out: what follows the agent is always its own.
    expect(await house.run('run', 'gemini', '0', '--help')).toEqual({ code: 0, out: '', err: '' });
    expect(reported().rest).toEqual(['--help']);
    expect((await house.run('run', 'gemini', 'die')).code).toBe(128 + 9);
  });

  it('connects stdin and stdout, and passes signals on', async () => {
    await house.serve();
    const echo = house.start(['run', 'gemini', 'echo']);
    echo.stdin?.end('hello');
    const [said] = await once(echo.stdout as NodeJS.ReadableStream, 'data');
    expect(String(said)).toBe('hello');
    const waiting = house.start(['run', 'gemini', 'wait']);
    await once(waiting.stdout as NodeJS.ReadableStream, 'data');
    waiting.kill('SIGTERM');
    expect(await once(waiting, 'exit')).toEqual([7, null]);
    expect(reported().signal).toBe('SIGTERM');
  });

  it('says what to do without a bridge; with --serve it is one for as long as the agent runs', async () => {
    expect(await house.run('run', 'gemini', '0')).toEqual({
      code: 6,
      out: '',
      err: `hawser: No bridge serves ${house.workspace}. Run hawser there, or open the folder in Neovim with the plugin; or add --serve: hawser run --serve …\n`,
    });
    expect(existsSync(report)).toBe(false);
    expect(await house.run('run', '--serve', 'gemini', '5')).toEqual({ code: 5, out: '', err: '' });
    const lock = join(house.home, '.claude', 'ide', `${reported().env.CLAUDE_CODE_SSE_PORT}.lock`);
    expect(existsSync(lock)).toBe(false);
  });

  it('names what is wrong with a command that can not be started', async () => {
    await house.serve();
    const plain = join(house.workspace, 'plain');
    writeFileSync(plain, '');
    for (const [name, code, err] of [
      ['gemni', 127, 'hawser: There is no command gemni. Did you mean gemini?\n'],
      ['qwen-code', 127, 'hawser: There is no command qwen. This installs it: npm install -g @qwen-code/qwen-code\n'],
      [plain, 126, `hawser: ${plain} is not executable.\n`],
    ] as const) {
      expect(await house.run('run', name)).toEqual({ code, out: '', err });
    }
  });
});
