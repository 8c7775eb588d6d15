// @ts-check
// Kills the bridge or the hook of a gate at random moments between a call and its answer, 500 times; `npm test` does it a few
// times.

/** @param {import('../test-real.mjs').Real} real */
export async function testReal(real) {
  await real.build();
  return real.vitest(['test/gate-crash'], { HAWSER_ROUNDS: '500' });
}
