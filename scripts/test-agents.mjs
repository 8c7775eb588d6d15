// @ts-check
// `npm run test:agents`: the bridge with the real agents, fetched from npm at first. `npm run test:agents -- gemini`
// runs one of them. No account is needed: a scripted model on this machine plays the model's part.
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const steps = createSteps(process.stdout);
try {
  await steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = ['run', '--config', join(root, 'test', 'agents', 'vitest.config.ts')];
  const env = { ...process.env, HAWSER_AGENTS: process.argv.slice(2).join(',') };
  process.exitCode = await run(process.execPath, [vitest, ...args], { cwd: root, env });
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
