// @ts-check
// The whole conformance kit on Emacs, its own tests, the keys in a terminal, and a real agent.
import { realAgentIn } from '../real-agent-in.mjs';

const TESTS = [
  'packages/bridge/src/editor-kit/emacs.test.ts',
  'packages/bridge/src/cli/editor/emacs-in-terminal.test.ts',
];

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  const code = await real.vitest([...TESTS, ...args], { HAWSER_WHOLE_KIT: '1' });
  return code === 0 ? realAgentIn(real, 'Emacs') : code;
}
