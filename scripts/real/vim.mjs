// @ts-check
// All suites of the conformance kit in a real Vim; `npm test` runs those about texts and decisions. Then a real agent.
import { realAgentIn } from '../real-agent-in.mjs';

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  const tests = ['packages/bridge/src/editor-kit/vim.test.ts', ...args];
  const code = await real.vitest(tests, { HAWSER_WHOLE_VIM: '1' });
  return code === 0 ? realAgentIn(real, 'Vim') : code;
}
