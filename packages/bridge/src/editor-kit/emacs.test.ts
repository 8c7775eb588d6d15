import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { describePlugin } from './plugin.contract.ts';

const EMACS = fileURLToPath(new URL('../../../../editors/emacs/', import.meta.url));
const run = promisify(execFile);
const batch = (...args: string[]) => run('emacs', ['-Q', '--batch', '-L', EMACS, ...args]);
const home = mkdtempSync(join(tmpdir(), 'hawser-emacs-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

// The whole takes a start of Emacs for each of some 80 tests: `npm run test:real -- emacs`.
const isWhole = process.env.HAWSER_WHOLE_KIT === '1';
const documents = { showDocument: true, documents: true, save: true, close: true, diagnostics: true };

describePlugin(
  'Emacs',
  {
    command: ['emacs', '-Q', '--batch', '-L', EMACS, '-l', join(EMACS, 'test', 'hands.el')],
    variables: { ...process.env, HOME: home },
  },
  { writeText: true, proposals: { rounds: true }, ...(isWhole && documents) },
);

describe('hawser.el', () => {
  it('its own tests pass', async () => {
    const test = ['-l', join(EMACS, 'test', 'hawser-test.el'), '-f', 'ert-run-tests-batch-and-exit'];
    expect((await batch(...test)).stderr).toMatch(/Ran \d\d tests, (\d+) results as expected, 0 unexpected/);
  });

  it('is a package that Emacs installs', async () => {
    const install = `(progn (require 'package)
                            (setq package-user-dir "${join(home, 'elpa')}")
                            (package-install-file "${join(EMACS, 'hawser.el')}")
                            (require 'hawser)
                            (princ (locate-library "hawser")))`;
    const { stdout } = await run('emacs', ['-Q', '--batch', '--eval', install], {
      env: { ...process.env, HOME: home },
    });
    expect(stdout).toContain(join(home, 'elpa', 'hawser-0.1.0', 'hawser.elc'));
  });

  it('is compiled without a warning, and its docstrings follow the rules', async () => {
    const to = `(setq byte-compile-error-on-warn t
                      byte-compile-dest-file-function (lambda (_) "${join(home, 'hawser.elc')}"))`;
    await batch('--eval', to, '-f', 'batch-byte-compile', join(EMACS, 'hawser.el'));
    for (const file of ['hawser.el', 'test/hands.el', 'test/hawser-test.el']) {
      expect((await batch('--eval', `(checkdoc-file "${join(EMACS, file)}")`)).stderr).toBe('');
    }
  });
});
