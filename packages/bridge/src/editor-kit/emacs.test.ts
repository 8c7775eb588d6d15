import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { describeLanguageFeatures } from '../language-features.contract.ts';
import { describePlugin, openLiveEditor } from './plugin.contract.ts';

const EMACS = fileURLToPath(new URL('../../../../editors/emacs/', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const HANDS = join(EMACS, 'test', 'hands.el');
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
    command: ['emacs', '-Q', '--batch', '-L', EMACS, '-l', HANDS],
    variables: { ...process.env, HOME: home },
  },
  { writeText: true, proposals: { rounds: true }, ...(isWhole && documents) },
);

// Not -Q, which finds no packages of Debian.
const TYPESCRIPT = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url));
const withEglot = ['-q', '--batch', '-L', EMACS, '-l', join(EMACS, 'test', 'with-eglot.el'), '-l', HANDS];
for (const columns of ['utf-16', 'utf-8']) {
  describeLanguageFeatures(`Emacs with Eglot, whose server counts in ${columns},`, (folder) =>
    openLiveEditor(
      {
        command: ['emacs', ...withEglot],
        variables: { ...process.env, HOME: home, HAWSER_TYPESCRIPT: TYPESCRIPT, HAWSER_COLUMNS: columns },
      },
      folder,
    ),
  );
}

describe('hawser.el', () => {
  it('its own tests pass', async () => {
    const test = ['-l', join(EMACS, 'test', 'hawser-test.el'), '-f', 'ert-run-tests-batch-and-exit'];
    expect((await batch(...test)).stderr).toMatch(/Ran \d\d tests, (\d+) results as expected, 0 unexpected/);
  });

  it('Flycheck is asked, too', async () => {
    const test = ['-l', join(EMACS, 'test', 'packages-test.el'), '-f', 'ert-run-tests-batch-and-exit'];
    const { stderr } = await run('emacs', ['-q', '--batch', '-L', EMACS, ...test]);
    expect(stderr).toMatch(/Ran 1 tests, 1 results as expected, 0 unexpected/);
  });

  it('package-lint finds nothing, but that it does not know Emacs 28', async () => {
    const lint = [
      '--eval',
      "(progn (package-initialize) (require 'package-lint))",
      '-f',
      'package-lint-batch-and-exit',
    ];
    const { stdout, stderr } = await run('emacs', ['-q', '--batch', ...lint, join(EMACS, 'hawser.el')]).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    );
    const found = `${stdout}${stderr}`.split('\n').filter((line) => /: (warning|error): /.test(line));
    expect(found).toEqual([expect.stringContaining('uninstallable in all released Emacs versions')]);
  });

  it('is a package that Emacs installs from the files of its recipe', async () => {
    const install = `(let* ((recipe (with-temp-buffer (insert-file-contents "melpa-recipe.eld") (read (current-buffer))))
                            (default-directory "${REPOSITORY}")
                            (files (mapcan #'file-expand-wildcards (plist-get (cdr recipe) :files))))
                       (require 'package)
                       (setq package-user-dir "${join(home, 'elpa')}")
                       (mapc #'package-install-file files)
                       (require 'hawser)
                       (prin1 (list files (locate-library "hawser")
                                    (string-suffix-p (plist-get (cdr recipe) :repo) (lm-website (car files))))))`;
    const { stdout } = await run('emacs', ['-Q', '--batch', '--eval', install], {
      cwd: EMACS,
      env: { ...process.env, HOME: home },
    });
    const installed = join(home, 'elpa', 'hawser-0.1.0', 'hawser.elc');
    expect(stdout).toContain(`(("editors/emacs/hawser.el") "${installed}" t)`);
  });

  it('is compiled without a warning, and its docstrings follow the rules', async () => {
    const to = `(setq byte-compile-error-on-warn t
                      byte-compile-dest-file-function (lambda (_) "${join(home, 'hawser.elc')}"))`;
    await batch('--eval', to, '-f', 'batch-byte-compile', join(EMACS, 'hawser.el'));
    const tests = readdirSync(join(EMACS, 'test')).map((name) => `test/${name}`);
    for (const file of ['hawser.el', ...tests]) {
      expect((await batch('--eval', `(checkdoc-file "${join(EMACS, file)}")`)).stderr).toBe('');
    }
  });
});
