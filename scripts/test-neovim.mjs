// @ts-check
// `npm run test:neovim`: the tests of Neovim on the installed one and on two newer ones, which it fetches at first.
import { join } from 'node:path';
import { fetchNeovim, suites } from './fetch-neovim.mjs';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const steps = createSteps(process.stdout);
try {
  for (const [suite, version] of Object.entries(suites)) {
    await steps.step(`Neovim ${version}`, async () => {
      steps.say(fetchNeovim(suite));
      return 0;
    });
  }
  await steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = process.argv.slice(2);
  const what =
    args.length > 0 ? args : ['packages/bridge/src/editors/neovim', 'packages/bridge/src/review/reviewers/neovim'];
  const env = { ...process.env, HAWSER_EVERY_NEOVIM: '1' };
  process.exitCode = await run(process.execPath, [vitest, 'run', ...what], { cwd: root, env });
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
