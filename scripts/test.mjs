// @ts-check
// `npm test`: installs what the tests need, checks, builds and runs every test.
// `npm test -- packages/mcp` leaves out the check and hands its arguments to vitest.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeVersionProblem, prepare, root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';
import { ensureSystemPackages, thisMachine } from './system-packages.mjs';
import { closingLine, secondTries } from './test-counts.mjs';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

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
  await steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
  steps.say('\n▶ vitest run');
  process.exitCode = await runVitest();
  const report = readReport();
  for (const line of secondTries(report)) steps.say(line);
  steps.say(closingLine(report, process.exitCode));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(`${error.message}: the tests were not run`);
  process.exitCode = error.exitCode;
  steps.say(closingLine(undefined, error.exitCode));
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
}

function runVitest() {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  // The programs that all tests start share the processors, and now and then one is late. What fails twice is wrong;
  // what needed the second try is listed at the end.
  const retry = vitestArguments.length === 0 ? ['--retry=1'] : [];
  return run(process.execPath, [vitest, 'run', ...retry, ...reporters, ...vitestArguments], { cwd: root });
}

/** @returns {import('./test-counts.mjs').VitestReport | undefined} */
function readReport() {
  return existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined;
}
