import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cacheForTests, LISP_PROGRAM } from './lisp-program.ts';

const cache = cacheForTests();

const README = readFileSync(join(import.meta.dirname, '..', 'packages', 'lisp', 'README.md'), 'utf8');

it('hawser-lisp --demo shows the example of its README, and ends', async () => {
  const env = { ...process.env, ...cache };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [LISP_PROGRAM, '--demo'], { env });
  expect(stderr).toBe('');
  const blocks = [...README.matchAll(/^```(?:call|answer)\n(.*?)\n```$/gms)].map(([, text = '']) => text);
  expect(blocks).toHaveLength(10);
  let at = 0;
  for (const block of blocks) {
    const found = stdout.indexOf(block, at);
    expect(found, block).toBeGreaterThanOrEqual(at);
    at = found + block.length;
  }
});

it('hawser-lisp --demo ends when nobody reads it any more, without a word', async () => {
  const child = spawn(process.execPath, [LISP_PROGRAM, '--demo'], { env: { ...process.env, ...cache } });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([code, stderr]).toEqual([0, '']);
});

it('hawser-lisp --demo says what to install when there is no Lisp', async () => {
  const env = { ...process.env, ...cache, PATH: join(import.meta.dirname, 'nowhere') };
  const { stdout } = await promisify(execFile)(process.execPath, [LISP_PROGRAM, '--demo'], { env });
  expect(stdout).toContain('SBCL is not installed');
});
