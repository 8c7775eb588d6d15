// @ts-check
// `npm run test:real -- agents gemini`: the tests that `npm test` leaves out, because of what they fetch or how long they
// take. The first word chooses; scripts/real has those that prepare more than a build.
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { run, runSteps } from './steps.mjs';

const REAL_AGENTS = ['--config', 'test/agents/vitest.config.ts'];

/**
 * For vitest; the words are those after the name. `agentIn` names an editor in which a real agent is tried afterwards.
 * @type {Record<string, (words: string[]) => { tests: string[], variables: Record<string, string>, agentIn?: string }>}
 */
const AFTER_A_BUILD = {
  // Fetched from npm at first; words choose some. No account is needed: a scripted model plays the model's part.
  agents: (words) => ({ tests: REAL_AGENTS, variables: { HAWSER_AGENTS: words.join(',') } }),
  // Each check of `hawser check` on a server that breaks its rule, and every other check of its group there.
  checks: (words) => ({ tests: ['packages/check/src/check.test.ts', ...words], variables: { THOROUGH: '1' } }),
  // The whole conformance kit, of which `npm test` runs a part, and the keys in a terminal.
  emacs: (words) => ({
    tests: [
      'packages/bridge/src/editor-kit/emacs.test.ts',
      'packages/bridge/src/serving/emacs-in-terminal.test.ts',
      ...words,
    ],
    variables: { HAWSER_WHOLE_KIT: '1' },
    agentIn: 'Emacs',
  }),
  // Kills the bridge or the hook of a gate at random moments between a call and its answer; `npm test` does it a few times.
  'gate-crash': () => ({ tests: ['test/gate-crash'], variables: { HAWSER_ROUNDS: '500' } }),
  // What two versions of each agent give their hook, compared with what is recorded for the tests of gates; words choose
  // some agents. HAWSER_RECORD=1 records it anew.
  'hook-inputs': (words) => ({
    tests: ['--config', 'test/hook-inputs/vitest.config.ts'],
    variables: { HAWSER_AGENTS: words.join(',') },
  }),
  // Interleavings of Lisp calls, cancels, timeouts and resets.
  lisp: (words) => ({
    tests: ['test/lisp-interleavings.test.ts', ...words],
    variables: { LISP_INTERLEAVINGS: '1000' },
  }),
  // Kills the bridge at each access to the disk after an acceptance, of which `npm test` takes every fourth.
  'review-crash': () => ({ tests: ['test/review-crash'], variables: { HAWSER_EVERY: '1' } }),
  // The whole conformance kit, of which `npm test` runs the suites about texts and decisions.
  vim: (words) => ({
    tests: ['packages/bridge/src/editor-kit/vim.test.ts', ...words],
    variables: { HAWSER_WHOLE_VIM: '1' },
    agentIn: 'Vim',
  }),
};

const PROGRAMS = {
  distribution: () => import('./real/distribution.mjs'),
  jetbrains: () => import('./real/jetbrains.mjs'),
  neovim: () => import('./real/neovim.mjs'),
  nodes: () => import('./real/nodes.mjs'),
  runtimes: () => import('./real/runtimes.mjs'),
  vscode: () => import('./real/vscode.mjs'),
};

const [name = '', ...words] = process.argv.slice(2);
const names = [...Object.keys(AFTER_A_BUILD), ...Object.keys(PROGRAMS)].sort();
if (!names.includes(name)) {
  console.error(`npm run test:real -- ${names.join('|')}`);
  process.exit(2);
}

await runSteps(process.stdout, async (steps) => {
  const real = { ...steps, build: () => steps.build(root), vitest };
  const afterBuild = AFTER_A_BUILD[name];
  if (afterBuild === undefined) {
    const { testReal } = await PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (name)]();
    return await testReal(real, words);
  }
  await real.build();
  const { tests, variables, agentIn } = afterBuild(words);
  const code = await vitest(tests, variables);
  if (code !== 0 || agentIn === undefined) return code;
  return await vitest([...REAL_AGENTS, 'plugins.real.ts', '--testNamePattern', `with ${agentIn}`]);
});

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
 * @typedef {import('./steps.mjs').Steps & { vitest: typeof vitest, build(): Promise<void> }} Real what a program of scripts/real
 *   gets; its `testReal` returns the exit code
 */
