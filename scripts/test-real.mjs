// @ts-check
// `npm run test:real -- agents gemini`: the tests that `npm test` leaves out, because of what they fetch or how long they
// take. The first word chooses; scripts/real has a file for each.
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const [name = '', ...args] = process.argv.slice(2);
const kinds = {
  agents: () => import('./real/agents.mjs'),
  checks: () => import('./real/checks.mjs'),
  distribution: () => import('./real/distribution.mjs'),
  emacs: () => import('./real/emacs.mjs'),
  'gate-crash': () => import('./real/gate-crash.mjs'),
  'hook-inputs': () => import('./real/hook-inputs.mjs'),
  jetbrains: () => import('./real/jetbrains.mjs'),
  lisp: () => import('./real/lisp.mjs'),
  neovim: () => import('./real/neovim.mjs'),
  nodes: () => import('./real/nodes.mjs'),
  runtimes: () => import('./real/runtimes.mjs'),
  vim: () => import('./real/vim.mjs'),
  vscode: () => import('./real/vscode.mjs'),
};
if (!Object.hasOwn(kinds, name)) {
  console.error(`npm run test:real -- ${Object.keys(kinds).join('|')}`);
  process.exit(2);
}

const steps = createSteps(process.stdout);
try {
  const { testReal } = await kinds[/** @type {keyof typeof kinds} */ (name)]();
  process.exitCode = await testReal({ ...steps, build, vitest }, args);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}

function build() {
  return steps.step('npm run build', () => steps.npm(root, ['run', '--silent', 'build']));
}

/**
 * @param {string[]} vitestArguments
 * @param {Record<string, string>} variables
 */
function vitest(vitestArguments, variables = {}) {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  return run(process.execPath, [program, 'run', ...vitestArguments], {
    cwd: root,
    env: { ...process.env, ...variables },
  });
}

/**
 * @typedef {ReturnType<typeof createSteps> & { build: typeof build, vitest: typeof vitest }} Real what a file of scripts/real
 *   gets; its `testReal` returns the exit code
 */
