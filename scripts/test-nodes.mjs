// @ts-check
// `npm run test:nodes`: builds and runs the tests with newer versions of Node, which it fetches from npm at first.
//   npm run test:nodes -- packages/mcp     only the tests whose path contains the words
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const MAJORS = [22, 24];

const steps = createSteps(process.stdout);
try {
  const { platform, arch } = process;
  for (const major of MAJORS) {
    const folder = join(root, 'node_modules', '.cache', 'nodes', String(major));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const name = `node-${platform}-${arch}`;
    const wanted = ['--prefix', folder, '--no-audit', '--no-fund', '--silent', `${name}@${major}`];
    await steps.step(`install Node ${major}`, () => steps.npm(folder, ['install', ...wanted]));
    const node = join(folder, 'node_modules', name, 'bin', 'node');
    await steps.step(`npm test with Node ${major}`, () => {
      const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
      return run(node, [join(root, 'scripts', 'test.mjs'), ...process.argv.slice(2)], { cwd: root, env });
    });
  }
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
