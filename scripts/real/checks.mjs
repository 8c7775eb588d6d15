// @ts-check
// Each check of `hawser check` on a server that breaks its rule, and every other check of its group there.

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  return real.vitest(['packages/check/src/check.test.ts', ...args], { THOROUGH: '1' });
}
