// @ts-check
// All suites of the conformance kit in a real Vim; `npm test` runs those about texts and decisions.

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  return real.vitest(['packages/bridge/src/editor-kit/vim.test.ts', ...args], { HAWSER_WHOLE_VIM: '1' });
}
