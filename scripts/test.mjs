// @ts-check
// `npm test`: installs what the tests need, checks, builds and runs every test.
// `npm test -- packages/mcp` leaves out the check and hands its arguments to vitest; `npm test -- --changed` runs the tests that
// what was changed since `main` can break.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { branchPoint, changedFiles, testsThatName } from './changed-tests.mjs';
import { prepare, requireNode, root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';
import { ensureSystemPackages, thisMachine } from './system-packages.mjs';
import { closingLine } from './test-counts.mjs';

requireNode();

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const vitestArguments = process.argv.slice(2);
const steps = createSteps(process.stdout);
const reportFolder = mkdtempSync(join(tmpdir(), 'hawser-test-'));
const reportFile = join(reportFolder, 'vitest.json');
try {
  await prepare(steps);
  await steps.step('system packages', () => ensureSystemPackages({ ...thisMachine, say: steps.say }));
  if (vitestArguments.length === 0) {
    await steps.step('npm run check', () => steps.npm(root, ['run', '--silent', 'check']));
  }
  await steps.build(root);
  const args = vitestArguments[0] === '--changed' ? changedTests() : vitestArguments;
  steps.say(`\n▶ vitest run ${args.join(' ')}`);
  process.exitCode = await runVitest(args);
  steps.say(closingLine(readReport(), process.exitCode));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(`${error.message}: the tests were not run`);
  process.exitCode = error.exitCode;
  steps.say(closingLine(undefined, error.exitCode));
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
}

/** @param {string[]} args */
function runVitest(args) {
  const reporters = ['default', 'json', join(root, 'scripts', 'skip-reasons.mjs')].map((each) => `--reporter=${each}`);
  return run(process.execPath, [vitest, 'run', ...reporters, `--outputFile.json=${reportFile}`, ...args], {
    cwd: root,
  });
}

function changedTests() {
  const commit = branchPoint(root);
  const imported = listTests(['--changed', commit]);
  const named = testsThatName(root, listTests([]), changedFiles(root, commit));
  const tests = [...new Set([...imported, ...named])].sort();
  // Without a path vitest would run every test.
  return tests.length === 0 ? ['--passWithNoTests', 'no test'] : tests;
}

/** @param {string[]} args */
function listTests(args) {
  const list = execFileSync(process.execPath, [vitest, 'list', '--filesOnly', '--json', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  /** @type {{ file: string }[]} */
  const files = JSON.parse(list);
  return files.map(({ file }) => relative(root, file));
}

/** @returns {import('./test-counts.mjs').VitestReport | undefined} */
function readReport() {
  return existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined;
}
