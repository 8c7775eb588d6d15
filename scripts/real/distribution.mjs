// @ts-check
// Makes what users of agents install, and installs it with the real agents from npm.
import { root } from '../prepare.mjs';

/** @param {import('../test-real.mjs').Real} real */
export async function testReal(real) {
  await real.step('npm run distribution', () => real.npm(root, ['run', '--silent', 'distribution']));
  return real.vitest(['--config', 'test/distribution/vitest.config.ts']);
}
