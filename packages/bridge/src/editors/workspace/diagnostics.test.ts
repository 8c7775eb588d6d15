import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { hasEnded } from '../../../testing/neovim/processes.ts';
import { temporaryFolders, textAppears } from '../../../testing/workspace-folder.ts';
import { Diagnostics, type DiagnosticsCommand } from './diagnostics.ts';
import type { Command } from './run-command.ts';

const makeFolder = temporaryFolders();
const open: Diagnostics[] = [];

afterEach(async () => {
  for (const diagnostics of open.splice(0)) await diagnostics.close();
});

const node = (script: string): Command => [process.execPath, '-e', script];
const sayProblems = node("console.log(require('fs').readFileSync('problems', 'utf8'))");

/** Hears of changes and problems, one after the other. */
function start(folder: string, command: Partial<DiagnosticsCommand>) {
  const received: (readonly string[] | Error)[] = [];
  let wake = () => {};
  const receive = (what: readonly string[] | Error) => {
    received.push(what);
    wake();
  };
  const diagnostics = new Diagnostics({
    command: sayProblems,
    matcher: 'gcc',
    folder,
    onChange: receive,
    onProblem: receive,
    delayMs: 1,
    ...command,
  });
  open.push(diagnostics);
  const next = async () => {
    while (received.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return received.shift();
  };
  return { diagnostics, next, received };
}

const causeOf = (problem: readonly string[] | Error | undefined) =>
  problem instanceof Error && problem.cause instanceof Error ? problem.cause.message : problem;

describe('Diagnostics', () => {
  it('runs at once, and again when asked, and names the files whose diagnostics changed', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'problems'), 'a:1:1: error: one\nb:1:1: error: two\n');
    const { diagnostics, next } = start(folder, {});
    expect(diagnostics.of()).toEqual([]);
    expect(await next()).toEqual([join(folder, 'a'), join(folder, 'b')]);
    expect(diagnostics.of(join(folder, 'a'))).toMatchObject([{ diagnostics: [{ message: 'one' }] }]);
    await writeFile(join(folder, 'problems'), 'b:1:1: error: two\nc:1:1: error: three\n');
    diagnostics.refresh();
    expect(await next()).toEqual([join(folder, 'a'), join(folder, 'c')]);
    expect(diagnostics.of(join(folder, 'a'))).toEqual([{ path: join(folder, 'a'), diagnostics: [] }]);
    expect(diagnostics.of().map(({ path }) => path)).toEqual([join(folder, 'b'), join(folder, 'c')]);
  });

  it('never runs twice at once, and once more for all that changed meanwhile', async () => {
    const folder = await makeFolder();
    const log = join(folder, 'log');
    await writeFile(log, '');
    const script = `const fs = require('fs'); fs.appendFileSync('log', 'begin ');
      const look = () => { if (!fs.existsSync('go')) return; fs.appendFileSync('log', 'end ');
      console.log('a:1:1: error: ' + fs.readFileSync('log', 'utf8')); process.exit(1) };
      fs.watch('.', look); fs.writeFileSync('ready', 'yes'); look()`;
    const { diagnostics, next } = start(folder, { command: node(script) });
    await textAppears(folder, 'ready');
    for (let count = 0; count < 10; count += 1) diagnostics.refresh();
    // By the time that two other programs have run one after the other, a second run would have begun.
    for (let count = 0; count < 2; count += 1) await promisify(execFile)(process.execPath, ['-e', '']);
    expect(await readFile(log, 'utf8')).toBe('begin ');
    await writeFile(join(folder, 'go'), '');
    await next();
    await next();
    await diagnostics.close();
    expect(await readFile(log, 'utf8')).toBe('begin end begin end ');
  });

  it('a failed run is reported and what was known stands', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'problems'), 'a:1:1: error: one\n');
    const { diagnostics, next } = start(folder, {
      command: node(`const text = require('fs').readFileSync('problems', 'utf8'); console.log(text);
        if (text === 'broken') { console.error('no configuration'); process.exit(2) }`),
    });
    await next();
    await writeFile(join(folder, 'problems'), 'broken');
    diagnostics.refresh();
    expect(causeOf(await next())).toMatch(/ended with exit code 2 and named no problem: no configuration$/);
    expect(diagnostics.of()).toHaveLength(1);
  });

  it.each([
    ['a command that does not exist', { command: ['no-such-command'] as const }, 'Cannot run no-such-command'],
    ['one that takes too long', { command: node('setInterval(() => {}, 1000)'), timeoutMs: 50 }, 'longer than 50 ms'],
    ['one that says too much', { command: node('for (;;) console.log(1)'), maxOutputBytes: 99 }, 'more than 99 bytes'],
  ])('%s is reported', async (_, command, message) => {
    const { next } = start(await makeFolder(), command);
    expect(causeOf(await next())).toContain(message);
  });

  it('a command that is ended may clean up', async () => {
    const folder = await makeFolder();
    const script = `const fs = require('fs'); process.on('SIGTERM', () => { fs.writeFileSync('cleaned', 'yes'); process.exit() });
      setInterval(() => {}, 1000); fs.writeFileSync('ready', 'yes')`;
    const { diagnostics } = start(folder, { command: node(script) });
    await textAppears(folder, 'ready');
    await diagnostics.close();
    expect(await readFile(join(folder, 'cleaned'), 'utf8')).toBe('yes');
  });

  it('closing ends the command and all it started, and reports nothing', async () => {
    const folder = await makeFolder();
    const child = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const script = `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' });
      require('fs').writeFileSync('pids', process.pid + ' ' + child.pid); setInterval(() => {}, 1000)`;
    const { diagnostics, received } = start(folder, { command: node(script) });
    const pids = (await textAppears(folder, 'pids')).split(' ').map(Number);
    await diagnostics.close();
    for (const pid of pids) await hasEnded(pid);
    expect(received).toEqual([]);
  });
});
