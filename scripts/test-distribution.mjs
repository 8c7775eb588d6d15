// @ts-check
// `npm run test:distribution`: makes what users of agents install, and installs it with the real agents from npm.
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const steps = createSteps(process.stdout);
try {
  await steps.step('npm run distribution', () => steps.npm(root, ['run', '--silent', 'distribution']));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(root, 'test', 'distribution', 'vitest.config.ts');
  process.exitCode = await run(process.execPath, [vitest, 'run', '--config', config], { cwd: root });
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
