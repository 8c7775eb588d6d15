// @ts-check
// Builds and runs the tests with newer versions of Node, which it fetches from npm at first; words choose tests:
// `npm run test:real -- nodes packages/mcp`.
import { delimiter, dirname, join } from 'node:path';
import { root } from '../prepare.mjs';
import { run } from '../steps.mjs';
import { NODE } from '../vscode-extension.mjs';

const MAJORS = [22, 24];

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  for (const major of MAJORS) {
    const folder = join(root, 'node_modules', '.cache', 'nodes', String(major));
    await real.install(`Node ${major}`, folder, [`${NODE}@${major}`]);
    const node = join(folder, 'node_modules', NODE, 'bin', 'node');
    await real.step(`npm test with Node ${major}`, () => {
      const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
      return run(node, [join(root, 'scripts', 'test.mjs'), ...args], { cwd: root, env });
    });
  }
  return 0;
}
