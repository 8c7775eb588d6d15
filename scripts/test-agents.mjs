// @ts-check
// `npm run test:agents`: the bridge with the real agents, which it fetches from npm at first. No account is needed:
// a scripted model on this machine plays their part of the conversation.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const claudeCode = '@anthropic-ai/claude-code@2.1.197';
const folder = join(root, 'node_modules', '.cache', 'agents');

const steps = createSteps(process.stdout);
try {
  mkdirSync(folder, { recursive: true });
  await steps.step(claudeCode, () =>
    steps.npm(folder, ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', claudeCode]),
  );
  await steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  process.env.HAWSER_CLAUDE = join(folder, 'node_modules', '.bin', 'claude');
  process.exitCode = await run(process.execPath, [vitest, 'run', 'real-', ...process.argv.slice(2)], { cwd: root });
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
