// @ts-check
// A thousand interleavings of Lisp calls, cancels, timeouts and resets.

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  return real.vitest(['test/lisp-interleavings.test.ts', ...args], { LISP_INTERLEAVINGS: '1000' });
}
