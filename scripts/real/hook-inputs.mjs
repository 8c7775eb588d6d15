// @ts-check
// What two versions of each agent give their hook, compared with what is recorded for the tests of gates; words choose some
// agents. HAWSER_RECORD=1 records it anew.

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  return real.vitest(['--config', 'test/hook-inputs/vitest.config.ts'], { HAWSER_AGENTS: args.join(',') });
}
