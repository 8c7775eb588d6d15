// @ts-check
// The bridge with the real agents, fetched from npm at first; words choose some: `npm run test:real -- agents gemini`. No account
// is needed: a scripted model on this machine plays the model's part.

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  await real.build();
  return real.vitest(['--config', 'test/agents/vitest.config.ts'], { HAWSER_AGENTS: args.join(',') });
}
