// @ts-check
// `npm start`: installs and builds what is needed, then runs the main job with the arguments after `--`.
import { join } from 'node:path';
import { nodeVersionProblem, prepare, root } from './prepare.mjs';
import { runInTerminal } from './run-in-terminal.mjs';
import { createSteps, StepFailed } from './steps.mjs';

const mainJob = ['packages/bridge/dist/main.cjs'];

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

// stdout belongs to the main job.
const steps = createSteps(process.stderr);
try {
  await prepare(steps);
  await steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
  const [script = '', ...args] = mainJob;
  process.exitCode = await runInTerminal(process.execPath, [join(root, script), ...args, ...process.argv.slice(2)]);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  process.exitCode = error.exitCode;
}
