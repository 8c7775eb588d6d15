// The Lisp of the worker as Lispers work on it: an ASDF system with tests of its own.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SYSTEM = join(import.meta.dirname, '..', 'packages', 'lisp', 'lisp');
/** More SBCLs to test with, as PATH lists folders. */
const { SBCLS = '' } = process.env;

let cache: string;
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'hawser-lisp-system-'));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

it.each(['sbcl', ...SBCLS.split(delimiter).filter((program) => program !== '')])(
  '(asdf:test-system "hawser-worker") passes in a plain %s',
  async (program) => {
    const forms = [
      '(require :asdf)',
      `(push #p"${SYSTEM}/" asdf:*central-registry*)`,
      // What the compiler warns of fails the load.
      '(setf asdf:*compile-file-warnings-behaviour* :error)',
      '(let ((asdf:*compile-file-warnings-behaviour* :warn)) (asdf:load-system "fiveam"))',
      '(asdf:test-system "hawser-worker")',
    ];
    const options = ['--noinform', '--no-sysinit', '--no-userinit', '--non-interactive'];
    const { stdout } = await promisify(execFile)(program, [...options, ...forms.flatMap((form) => ['--eval', form])], {
      env: { ...process.env, XDG_CACHE_HOME: cache },
      maxBuffer: 10_000_000,
    });
    const [, passed = '0', failed] = /Pass: (\d+) .*Fail: (\d+) /s.exec(stdout) ?? [];
    expect(failed).toBe('0');
    expect(Number(passed)).toBeGreaterThan(400);
  },
  120_000,
);
