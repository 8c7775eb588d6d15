// @ts-check
// Builds and runs the tests with newer versions of Node, which it fetches from npm at first; words choose tests:
// `npm run test:real -- nodes packages/mcp`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../prepare.mjs';
import { run } from '../steps.mjs';

const MAJORS = [22, 24];

/**
 * @param {import('../test-real.mjs').Real} real
 * @param {string[]} args
 */
export async function testReal(real, args) {
  const { platform, arch } = process;
  for (const major of MAJORS) {
    const folder = join(root, 'node_modules', '.cache', 'nodes', String(major));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const name = `node-${platform}-${arch}`;
    const wanted = ['--prefix', folder, '--no-audit', '--no-fund', '--silent', `${name}@${major}`];
    await real.step(`install Node ${major}`, () => real.npm(folder, ['install', ...wanted]));
    const node = join(folder, 'node_modules', name, 'bin', 'node');
    await real.step(`npm test with Node ${major}`, () => {
      const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
      return run(node, [join(root, 'scripts', 'test.mjs'), ...args], { cwd: root, env });
    });
  }
  return 0;
}
