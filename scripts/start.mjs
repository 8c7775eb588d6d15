// @ts-check
// `npm start`: installs and builds what is needed, then runs the main job with the arguments after `--`.
import { join } from 'node:path';
import { prepare, requireNode, root } from './prepare.mjs';
import { runInTerminal } from './run-in-terminal.mjs';
import { createSteps, StepFailed } from './steps.mjs';

const mainJob = ['packages/bridge/dist/main.cjs'];

requireNode();

// stdout belongs to the main job.
const steps = createSteps(process.stderr);
try {
  await prepare(steps);
  await steps.build(root);
  const [script = '', ...args] = mainJob;
  process.exitCode = await runInTerminal(process.execPath, [join(root, script), ...args, ...process.argv.slice(2)]);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  process.exitCode = error.exitCode;
}
