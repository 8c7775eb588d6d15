import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Evaluator } from '../../evaluator.ts';
import { workerFingerprint, workerSource } from '../worker/source.ts';
import { type SbclEngine, sbclEngine } from './engine.ts';

const CORE_NAME = /^sbcl-[0-9a-f]{32}-\d+-\d+-.+\.core$/;
const START = { heapMegabytes: 512 };
const PATIENT = { timeout: 20_000, limits: { output: 10_000, value: 1000 } };

let folder: string;
let cacheFolder: string;
let engine: SbclEngine;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-sbcl-')));
  cacheFolder = join(folder, 'cores');
  engine = sbclEngine({ environment: process.env, cacheFolder });
  await engine.warm();
});

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open: Evaluator[] = [];
afterEach(async () => {
  for (const evaluator of open.splice(0)) await evaluator.close();
});

const startWith = async (chosen: SbclEngine, options = {}) => {
  const evaluator = await chosen.start({ ...START, ...options });
  open.push(evaluator);
  return evaluator;
};
const evaluated = async (evaluator: Evaluator, code: string) => {
  const { values, error, lost } = await evaluator.perform({ kind: 'evaluate', code }, PATIENT);
  expect({ error, lost }).toEqual({ error: undefined, lost: undefined });
  return values[0] ?? '';
};

const CHILD_OF_LISP = '(sb-ext:process-pid (sb-ext:run-program "/bin/sleep" (list "1000") :wait nil :output nil))';

describe('processes', () => {
  it('what the Lisp has started ends with it', async () => {
    const evaluator = await startWith(engine);
    const child = Number(await evaluated(evaluator, CHILD_OF_LISP));
    const lisp = Number(await evaluated(evaluator, '(sb-unix:unix-getpid)'));
    expect(await isAlive(child)).toBe(true);
    await evaluator.close();
    await gone(lisp);
    await gone(child);
  });

  it.for([
    ['idle', '1'],
    ['in a loop', '(loop)'],
    ['in a loop without interrupts', '(sb-sys:without-interrupts (loop))'],
    ['stopped', '(sb-unix:unix-kill (sb-unix:unix-getpid) 19)'],
    ['without a way to hear of it', '(dotimes (fd 1024) (sb-unix:unix-close fd)) (loop)'],
  ] as const)('nothing survives kill -9 of the server while the Lisp is %s', async ([state, code]) => {
    const server = await startServer();
    const lisp = Number(await server.ask('(sb-unix:unix-getpid)'));
    const child = Number(await server.ask(CHILD_OF_LISP));
    expect([await isAlive(lisp), await isAlive(child)]).toEqual([true, true]);
    server.send(code);
    if (state === 'stopped') await expect.poll(() => stateOf(lisp), { interval: 20 }).toBe('T');
    server.kill();
    await gone(lisp);
    await gone(child);
  });

  it('a copy of the Lisp that code has forked answers nothing and is gone', async () => {
    const evaluator = await startWith(engine);
    const fork = '(sb-alien:alien-funcall (sb-alien:extern-alien "fork" (function sb-alien:int)))';
    const copy = Number(await evaluated(evaluator, fork));
    expect(copy).toBeGreaterThan(0);
    await gone(copy);
    const pids = new Set<string>();
    for (let count = 0; count < 20; count++) pids.add(await evaluated(evaluator, '(sb-unix:unix-getpid)'));
    expect(pids.size).toBe(1);
  });

  it('a command before the command line passes the descriptors on', async () => {
    const wrapper = join(folder, 'wrapper.sh');
    await writeFile(wrapper, '#!/bin/sh\nWRAPPED=yes; export WRAPPED\n"$@"\n', { mode: 0o755 });
    const wrapped = sbclEngine({ environment: process.env, command: [wrapper], cacheFolder });
    expect(wrapped.missing()).toBeUndefined();
    const evaluator = await startWith(wrapped);
    expect(await evaluated(evaluator, '(sb-ext:posix-getenv "WRAPPED")')).toBe('"yes"');
    const interrupted = await evaluator.perform({ kind: 'evaluate', code: '(loop)' }, { ...PATIENT, timeout: 100 });
    expect(interrupted).toMatchObject({ interrupted: 'timeout' });
    const lisp = Number(await evaluated(evaluator, '(sb-unix:unix-getpid)'));
    await evaluator.close();
    await gone(lisp);
  });

  it('what is missing is said in a sentence, and a start is refused with it', async () => {
    const absent = sbclEngine({ environment: { PATH: folder } });
    expect(absent.missing()).toMatch(/apt install sbcl/);
    await expect(absent.start(START)).rejects.toThrow(/apt install sbcl/);
    const named = sbclEngine({ environment: process.env, program: join(folder, 'nothing') });
    expect(named.missing()).toContain(join(folder, 'nothing'));
    const wrapped = sbclEngine({ environment: process.env, command: ['no-such-wrapper'] });
    expect(wrapped.missing()).toContain('no-such-wrapper');
  });

  it('a program that is not SBCL fails at the start', async () => {
    const other = sbclEngine({ environment: process.env, program: '/bin/false' });
    await expect(other.start(START)).rejects.toThrow(/exited with code 1/);
  });
});

describe('saved cores', () => {
  const cores = async () => (await readdir(cacheFolder)).filter((name) => name.endsWith('.core'));
  const corePath = async () => join(cacheFolder, (await cores())[0] ?? '');

  it('one core is kept, for its owner alone, and nothing unfinished is left', async () => {
    expect(await readdir(cacheFolder)).toEqual([expect.stringMatching(CORE_NAME)]);
    expect((await stat(await corePath())).mode & 0o777).toBe(0o600);
    expect((await stat(cacheFolder)).mode & 0o777).toBe(0o700);
  });

  it('the Lisp starts from it', async () => {
    const evaluator = await startWith(engine);
    expect(await evaluated(evaluator, 'sb-ext:*core-pathname*')).toContain('.core');
    expect(await evaluated(evaluator, '(namestring sb-ext:*core-pathname*)')).toBe(`"${await corePath()}"`);
    const { findings } = await evaluator.perform({ kind: 'list-definitions' }, PATIENT);
    expect(findings, 'definitions in COMMON-LISP-USER').toEqual([]);
  });

  it('without one the source is loaded, and the same things work', async () => {
    const evaluator = await startWith(sbclEngine({ environment: process.env }));
    expect(await evaluated(evaluator, '(+ 1 2)')).toBe('3');
    expect(await evaluated(evaluator, '(null (find-package "HAWSER-WORKER"))')).toBe('T');
  });

  it.for([
    ['truncated', (path: string) => truncate(path, 1_000_000)],
    ['damaged in the middle', damage],
  ] as const)('a core that is %s is replaced, and the start succeeds all the same', async ([, spoil]) => {
    const path = await corePath();
    const { size } = await stat(path);
    await spoil(path);
    const fresh = sbclEngine({ environment: process.env, cacheFolder });
    const evaluator = await startWith(fresh);
    expect(await evaluated(evaluator, '(+ 1 2)')).toBe('3');
    await fresh.warm();
    // No two have exactly the same size in every version of SBCL.
    expect((await stat(path)).size).toBeGreaterThan(0.9 * size);
    const next = await startWith(fresh);
    expect(await evaluated(next, '(namestring sb-ext:*core-pathname*)')).toBe(`"${path}"`);
  });

  it('a core that others may write is not used', async () => {
    const path = await corePath();
    await chmod(path, 0o666);
    const fresh = sbclEngine({ environment: process.env, cacheFolder });
    const evaluator = await startWith(fresh);
    expect(await evaluated(evaluator, '(namestring sb-ext:*core-pathname*)')).not.toBe(`"${path}"`);
    await fresh.warm();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('what is old is swept when a core is made', async () => {
    const other = join(folder, 'other-cores');
    await mkdir(other, { mode: 0o700 });
    const old = new Date(Date.now() - 60 * 24 * 60 * 60 * 1000);
    for (const name of ['sbcl-0.core', 'sbcl-1.core.7.unfinished', 'of-another-program']) {
      await writeFile(join(other, name), '');
      await utimes(join(other, name), old, old);
    }
    await sbclEngine({ environment: process.env, cacheFolder: other }).warm();
    expect((await readdir(other)).sort()).toEqual(['of-another-program', expect.stringMatching(CORE_NAME)]);
  });

  it('a core that is used is not old, however long ago it was made', async () => {
    const path = await corePath();
    const old = new Date(Date.now() - 60 * 24 * 60 * 60 * 1000);
    await utimes(path, old, old);
    await startWith(sbclEngine({ environment: process.env, cacheFolder }));
    expect(Date.now() - (await stat(path)).mtimeMs).toBeLessThan(60 * 60 * 1000);
  });

  it('a core is kept when the start failed for another reason', async () => {
    const { mtimeMs } = await stat(await corePath());
    await expect(engine.start({ heapMegabytes: 1_000_000_000 })).rejects.toThrow();
    await expect(engine.start({ ...START, cwd: join(folder, 'nowhere') })).rejects.toThrow(
      /nowhere: it is not a folder/,
    );
    expect((await stat(await corePath())).mtimeMs).toBe(mtimeMs);
  });

  it('a folder that cannot be made costs nothing but time', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const evaluator = await startWith(sbclEngine({ environment: process.env, cacheFolder: join(file, 'below') }));
    expect(await evaluated(evaluator, '(+ 1 2)')).toBe('3');
  });
});

/** Bytes that are read early at a start, in the middle of the file's structure. */
async function damage(path: string): Promise<void> {
  const core = await readFile(path);
  core.fill(0xff, 8, 4096);
  await writeFile(path, core, { mode: 0o600 });
}

interface Server {
  ask(code: string): Promise<string>;
  send(code: string): void;
  kill(): void;
}

/** A real Node that has a Lisp, and does what a line on its standard input says. */
async function startServer(): Promise<Server> {
  const program = `
    import { createInterface } from 'node:readline';
    import { sbclEngine } from './engine.ts';
    const engine = sbclEngine({ environment: process.env, cacheFolder: ${JSON.stringify(cacheFolder)} });
    const evaluator = await engine.start({ heapMegabytes: 512 });
    const options = { timeout: 0, limits: { output: 1000, value: 1000 } };
    for await (const code of createInterface({ input: process.stdin })) {
      void evaluator.perform({ kind: 'evaluate', code }, options).then(({ values }) => console.log(values[0]));
    }`;
  const outfile = join(folder, 'server.mjs');
  const stdin = { contents: program, resolveDir: import.meta.dirname, loader: 'ts' as const };
  // As in the built program, the worker is beside the bundle.
  const define = { LISP_FINGERPRINT: JSON.stringify(workerFingerprint()) };
  await build({
    stdin,
    outfile,
    define,
    conditions: ['@hawser/source'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  await writeFile(join(folder, 'hawser-worker-sbcl.lisp'), workerSource('sbcl'));
  const child: ChildProcess = spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  if (child.stdout === null) throw new Error('The server has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (code: string) => {
    child.stdin?.write(`${code}\n`);
  };
  return {
    send,
    async ask(code) {
      send(code);
      return (await lines.next()).value ?? '';
    },
    kill: () => child.kill('SIGKILL'),
  };
}

async function isAlive(pid: number): Promise<boolean> {
  // A process that has ended is listed until its parent waits for it.
  return !['', 'Z', 'X'].includes(await stateOf(pid));
}

/** The letter that Linux has for it; empty when there is no such process. */
async function stateOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /\) (\w) /.exec(status)?.[1] ?? '';
}

/** Resolves when the process has ended; nothing tells us, so it is looked for. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false);
}
