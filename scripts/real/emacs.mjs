// @ts-check
// The whole conformance kit on Emacs, its own tests, and the keys in a terminal.
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
  return real.vitest([...TESTS, ...args], { HAWSER_WHOLE_KIT: '1' });
}
