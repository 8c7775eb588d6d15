// How the program starts and ends, with all its Lisps.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cacheForTests,
  folderForTests,
  greet,
  isRunning,
  LISP_PROGRAM,
  type LispProgram,
  startLisp,
} from './lisp-program.ts';

const cache = cacheForTests();
const folder = folderForTests('cli');
let lisp: LispProgram;

afterEach(() => lisp?.close());

async function start(args: string[] = [], env: Record<string, string | undefined> = {}): Promise<LispProgram> {
  lisp = startLisp(args, { ...cache, ...env });
  await greet(lisp);
  return lisp;
}

const textOf = async (code: string, more: object = {}) =>
  (await lisp.call('evaluate-lisp', { code, ...more })).content[0].text;

async function startLisps(): Promise<number[]> {
  await start();
  const pids: number[] = [];
  for (const session of ['default', 'second', 'third']) {
    pids.push(Number((await textOf('(sb-unix:unix-getpid)', { session })).slice(3)));
  }
  expect(new Set(pids).size).toBe(3);
  for (const pid of pids) expect(isRunning(pid)).toBe(true);
  return pids;
}

/** The Lisps among the children of a process; a core that is being saved is finished by design. */
const childrenOf = (pid: number) =>
  spawnSync('pgrep', ['-P', String(pid), '-f', 'control-stack-size'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map(Number)
    .filter((child) => !readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('save-lisp-and-die'));

const allGone = (pids: number[]) => expect.poll(() => pids.filter(isRunning)).toEqual([]);

it('a call is answered when the program fails while it runs, and the session goes on', async () => {
  const bug = join(folder, 'bug.cjs');
  writeFileSync(bug, "process.once('SIGUSR2', () => { throw new Error('a bug'); });");
  await start([], { NODE_OPTIONS: `--require ${bug}` });
  await textOf('(defvar *kept* 41)');
  const begun = lisp.call(
    'evaluate-lisp',
    { code: '(progn (print 1) (finish-output) (loop))', timeout: 0 },
    { progressToken: 1 },
  );
  await expect.poll(() => lisp.earlier.length).toBeGreaterThan(0);
  lisp.process.kill('SIGUSR2');
  const { content } = await begun;
  expect(content[0].text).toContain('; The server failed while the call ran (a bug), so the call was interrupted.');
  expect(await textOf('*kept*')).toBe('=> 41');
  expect(lisp.stderr()).toContain('Error: a bug');
});

describe('no Lisp outlives the program', () => {
  it('that is killed with -9, nor does what a Lisp has started', async () => {
    const pids = await startLisps();
    const child = '(sb-ext:process-pid (sb-ext:run-program "/bin/sleep" (list "1000") :wait nil))';
    pids.push(Number((await textOf(child)).slice(3)));
    expect(pids.every(isRunning)).toBe(true);
    const exited = once(lisp.process, 'exit');
    lisp.process.kill('SIGKILL');
    await exited;
    await allGone(pids);
  });

  it('that is killed with -9 while code runs that nothing interrupts', async () => {
    const pids = await startLisps();
    const params = { name: 'evaluate-lisp', arguments: { code: UNINTERRUPTIBLE, timeout: 0 } };
    lisp.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...params, _meta: { progressToken: 1 } },
    });
    expect(await lisp.next()).toMatchObject({ method: 'notifications/progress' });
    const exited = once(lisp.process, 'exit');
    lisp.process.kill('SIGKILL');
    await exited;
    await allGone(pids);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('that ends, with 0, on %s', async (signal) => {
    const pids = await startLisps();
    const exited = once(lisp.process, 'exit');
    lisp.process.kill(signal);
    expect(await exited).toEqual([0, null]);
    await allGone(pids);
  });

  it('that ends, with 0, when stdin does', async () => {
    const pids = await startLisps();
    const exited = once(lisp.process, 'exit');
    lisp.process.stdin?.end();
    expect(await exited).toEqual([0, null]);
    await allGone(pids);
  });

  it('that ends while a Lisp is still starting', async () => {
    await start();
    lisp.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'evaluate-lisp', arguments: { code: '1' } },
    });
    // The Lisp is looked for while its parent still lives.
    const { pid = 0 } = lisp.process;
    await expect.poll(() => childrenOf(pid).length, { interval: 1 }).toBeGreaterThan(0);
    const children = childrenOf(pid);
    const exited = once(lisp.process, 'exit');
    lisp.process.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await allGone(children);
  });

  it.each([
    ['its session is closed', () => lisp.call('close-session')],
    ['the program ends', () => lisp.close()],
  ])('nor does what a Lisp has started, when %s', async (_when, end) => {
    await start();
    const shell = '(sb-alien:extern-alien "system" (function sb-alien:int sb-alien:c-string))';
    const text = await textOf(`(sb-alien:alien-funcall ${shell} "sleep 1000 & echo $!")`);
    const [, pid] = /^\[stdout\]\n(\d+)\n=> 0$/.exec(text) ?? [];
    expect(isRunning(Number(pid))).toBe(true);
    await end();
    await allGone([Number(pid)]);
  });
});

const UNINTERRUPTIBLE = '(progn (print :begun) (finish-output) (sb-sys:without-interrupts (loop)))';

describe('without SBCL', () => {
  const nowhere = { PATH: '/nonexistent', SBCL_BIN: undefined };

  it('the program starts, lists its tools, and each call says in one sentence how to install it', async () => {
    await start([], nowhere);
    lisp.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { tools } = (await lisp.next()).result;
    expect(tools).toHaveLength(19);
    const args: Record<string, object> = {
      'evaluate-lisp': { code: '1' },
      debugger: { action: 'abort' },
      'load-system': { system: 'x' },
      'test-system': { system: 'x' },
      'find-definition': { symbol: 'car' },
      'find-references': { symbol: 'car' },
      'load-file': { path: 'x' },
      'describe-symbol': { symbol: 'car' },
      'apropos-search': { text: 'car' },
      'macroexpand-form': { form: 'x' },
      'compile-form': { form: 'x' },
      inspect: { form: '1' },
    };
    for (const { name } of tools) {
      if (name === 'validate-syntax') continue;
      const { isError, content } = await lisp.call(name, args[name] ?? {});
      expect([name, isError, content]).toEqual([
        name,
        true,
        [{ type: 'text', text: expect.stringMatching(/^SBCL is not installed: .*apt install sbcl.*\.$/) }],
      ]);
    }
  });

  it('the syntax of code is checked all the same', async () => {
    await start([], nowhere);
    const { content, structuredContent, isError } = await lisp.call('validate-syntax', { code: '(a\n (b' });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ ok: false, problems: [{ line: 1, column: 0 }] });
    expect(content[0].text).toContain('[ERROR] line 1, column 0: ');
  });

  it('a wrong SBCL_BIN is said', async () => {
    await start([], { SBCL_BIN: '/nonexistent/sbcl' });
    expect(await textOf('1')).toContain('/nonexistent/sbcl');
  });
});

describe('the command line', () => {
  it('sets environment, folder, heap and what is loaded', async () => {
    writeFileSync(join(folder, 'start.lisp'), '(defvar *started* (list :from (sb-posix-free-pwd)))\n');
    writeFileSync(join(folder, 'helper.lisp'), '(defun sb-posix-free-pwd () *default-pathname-defaults*)\n');
    const load = ['--load', join(folder, 'helper.lisp'), '--load', join(folder, 'start.lisp')];
    await start([...load, '--env', 'COLOUR=dark=red', '--env', 'SHAPE=round', '--cwd', folder, '--heap', '256']);
    expect(await textOf('(values (sb-ext:posix-getenv "COLOUR") (sb-ext:posix-getenv "SHAPE"))')).toBe(
      '=> "dark=red"\n=> "round"',
    );
    expect(await textOf('(first *started*)')).toBe('=> :FROM');
    expect(await textOf('(sb-unix:posix-getcwd)')).toBe(`=> ${JSON.stringify(folder)}`);
    expect(await textOf('(round (sb-ext:dynamic-space-size) 1048576)')).toContain('=> 256');
  });

  it('sets timeout, number of sessions and idle time', async () => {
    await start(['--timeout', '0.2', '--max-sessions', '1', '--idle', '2.5']);
    expect((await lisp.call('configure-limits')).structuredContent).toMatchObject({
      timeout: 0.2,
      'max-sessions': 1,
      idle: 2.5,
    });
    expect((await lisp.call('configure-limits', { 'max-sessions': 2 })).content[0].text).toBe(
      'At most 1 sessions are allowed. Only the user can raise it: --max-sessions.',
    );
    expect(await textOf('(loop)')).toContain('[TIMEOUT]');
    expect(await textOf('1', { session: 'b' })).toBe(
      'Session limit reached (1: default). Use one of them, or close one with close-session.',
    );
  });

  it('chooses the tools', async () => {
    const listed = async (choice: string) => {
      await start(['--tools', choice]);
      lisp.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const { tools } = (await lisp.next()).result;
      await lisp.close();
      return tools.map(({ name }: { name: string }) => name);
    };
    expect(await listed('evaluate-lisp, trace,untrace')).toEqual(['evaluate-lisp', 'trace', 'untrace']);
    const all = await listed('all');
    expect(all).toHaveLength(25);
    expect(all).toEqual(expect.arrayContaining(['complete-symbol', 'disassemble-form', 'profile', 'undefine']));
  });

  it('loads the init file of the user when asked to, and says so once', async () => {
    writeFileSync(join(folder, '.sbclrc'), '(defvar *from-init* :yes)\n');
    await start(['--userinit'], { HOME: folder });
    expect(await textOf('*from-init*')).toBe(`; Loaded ${join(folder, '.sbclrc')}.\n=> :YES`);
    expect(await textOf('*from-init*')).toBe('=> :YES');
    await lisp.close();
    await start([], { HOME: folder });
    expect(await textOf("(boundp '*from-init*)")).toBe('=> NIL');
    await lisp.close();
    rmSync(join(folder, '.sbclrc'));
    await start(['--userinit'], { HOME: folder });
    expect(await textOf('1')).toBe('=> 1');
    expect(lisp.stderr()).toContain(`there is no ${join(folder, '.sbclrc')}`);
  });

  it('makes systems of --cwd, --project and the roots of the agent known', async () => {
    for (const name of ['here', 'there', 'rooted']) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, `${name}.asd`), `(asdf:defsystem "${name}" :components ((:file "${name}")))`);
      writeFileSync(join(folder, name, `${name}.lisp`), `(defpackage :${name} (:use :cl))`);
    }
    lisp = startLisp(['--cwd', join(folder, 'here'), '--project', join(folder, 'there')], cache);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'x', version: '0' },
    };
    lisp.send({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params });
    await lisp.next();
    lisp.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const load = { name: 'load-system', arguments: { system: 'rooted' } };
    lisp.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: load });
    const asked = await lisp.next();
    expect(asked).toMatchObject({ method: 'roots/list' });
    const uri = `file://${join(folder, 'rooted')}`;
    lisp.send({ jsonrpc: '2.0', id: asked.id, result: { roots: [{ uri }] } });
    expect((await lisp.next()).result.content[0].text).toMatch(/^system rooted — compiled 1 file and loaded/);
    for (const system of ['here', 'there']) {
      expect((await lisp.call('load-system', { system })).content[0].text).toMatch(new RegExp(`^system ${system} — `));
    }
    expect(lisp.earlier).toEqual([]);
  });

  it('ends an unused session, and the next answer says so', async () => {
    await start(['--idle', '0.005']);
    const pid = Number((await textOf('(sb-unix:unix-getpid)')).slice(3));
    await allGone([pid]);
    expect((await lisp.call('list-sessions')).structuredContent.sessions).toEqual([]);
    expect(await textOf('(+ 1 2)')).toMatch(
      /^; The Lisp of session default was ended after 0\.3 seconds without a call\. .*\n=> 3$/,
    );
  });

  it('chooses ECL instead', async () => {
    await start(['--engine', 'ecl']);
    const { structuredContent, content } = await lisp.call('evaluate-lisp', { code: '(values (expt 2 70) (/ 1 3))' });
    expect(structuredContent.engine).toMatch(/^ECL \d/);
    expect(content[0].text).toBe('=> 1180591620717411303424\n=> 1/3');
    expect(await textOf('(loop)', { timeout: 0.2 })).toContain('[TIMEOUT]');
    expect(await textOf('(car 5)')).toContain('[ERROR] ');
  });

  it('wraps the Lisp in a command', async () => {
    await start(['--command', 'env "WRAPPED=yes indeed"']);
    expect(await textOf('(sb-ext:posix-getenv "WRAPPED")')).toBe('=> "yes indeed"');
  });

  it('a file that fails to load is said by each call', async () => {
    writeFileSync(join(folder, 'broken.lisp'), '(error "broken from the start")\n');
    await start(['--load', join(folder, 'broken.lisp')]);
    const text = await textOf('1');
    expect(text).toMatch(/^The Lisp could not be started: .*broken\.lisp.*broken from the start/s);
  });

  const outcome = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [LISP_PROGRAM, ...args], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('prints its help and its version, and ends with 0', () => {
    const { status, stdout } = outcome('--help');
    expect(status).toBe(0);
    const flags = ['command', 'env', 'cwd', 'project', 'load', 'tools', 'heap', 'timeout', 'load-timeout', 'engine'];
    for (const flag of [...flags, 'max-sessions', 'idle']) expect(stdout).toContain(`--${flag} <`);
    for (const flag of ['userinit', 'swank']) expect(stdout).toContain(`--${flag} `);
    expect(stdout).toContain('SBCL_BIN');
    expect(outcome('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it.each([
    [['--heap', 'much'], 'Give a whole number of megabytes from 64 to 65536.'],
    [['--timeout', '-1'], 'Give a number of seconds from 0 to 86400.'],
    [['--max-sessions', '0'], 'Give a whole number of sessions from 1 to 64.'],
    [['--env', 'NOVALUE'], 'Write NAME=VALUE.'],
    [['--command', '"open'], 'is not closed'],
    [['--engine', 'emacs'], 'sbcl, ecl'],
    [['--colour'], '--colour'],
    [['--cwd', '/nonexistent/folder'], '--cwd: there is no folder /nonexistent/folder'],
    [['--cwd', '/dev/null/folder'], '--cwd: there is no folder /dev/null/folder'],
    [['--project', '/dev/null'], '--project: there is no folder /dev/null'],
    [['--load', '/nonexistent.lisp'], '--load: there is no file /nonexistent.lisp'],
    [['--userinit', '/dev/null/nonexistent.lisp'], '--userinit: there is no file /dev/null/nonexistent.lisp'],
    [['--tools', 'core,none'], 'There is no tool "core". Choose from evaluate-lisp,'],
  ])('%j is refused with 2 and a word about why', (args, message) => {
    const { status, stdout, stderr } = outcome(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
