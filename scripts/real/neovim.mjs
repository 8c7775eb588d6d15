// @ts-check
// The tests of Neovim on the installed one and on two newer ones, which it fetches at first.
import { fetchNeovim, suites } from '../fetch-neovim.mjs';

const TESTS = ['packages/bridge/src/editors/neovim', 'packages/bridge/src/editor-kit/neovim.test.ts'];

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  for (const [suite, version] of Object.entries(suites)) {
    await real.step(`Neovim ${version}`, async () => {
      real.say(fetchNeovim(suite));
      return 0;
    });
  }
  await real.build();
  return real.vitest(args.length > 0 ? args : TESTS, { HAWSER_EVERY_NEOVIM: '1' });
}
