// @ts-check
// `npm run binaries`: the hawser command as one file that needs no Node, in distribution/bin. Made with Bun, from npm.
//   npm run binaries -- linux-x64 darwin-arm64     for these platforms instead of this one; Bun fetches what it needs
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { createSteps, run, StepFailed } from './steps.mjs';

const tools = join(root, 'node_modules', '.cache', 'binaries');
const target = join(root, 'distribution', 'bin');
const bridge = join(root, 'packages', 'bridge');
const { version } = JSON.parse(readFileSync(join(bridge, 'package.json'), 'utf8'));
const here = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const wanted = process.argv.length > 2 ? process.argv.slice(2) : [here];

const steps = createSteps(process.stdout);
try {
  await prepare(steps);
  mkdirSync(tools, { recursive: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(join(tools, 'package.json'), '{"private":true}');
  await steps.step('install bun', () =>
    steps.npm(tools, ['install', '--prefix', tools, '--no-audit', '--no-fund', '--silent', 'bun@1']),
  );
  for (const platform of wanted) {
    const file = join(target, `hawser-${version}-${platform}${platform.startsWith('windows') ? '.exe' : ''}`);
    const options = [
      '--compile',
      '--minify-whitespace',
      '--conditions=@hawser/source',
      `--define=HAWSER_VERSION=${JSON.stringify(version)}`,
      ...(platform === here ? [] : [`--target=bun-${platform}`]),
      `--outfile=${file}`,
    ];
    await steps.step(`hawser for ${platform}`, () =>
      run(join(tools, 'node_modules', '.bin', 'bun'), ['build', join(bridge, 'src', 'main.ts'), ...options]),
    );
    steps.say(`${file.slice(root.length)}, ${Math.round(statSync(file).size / 1e6)} MB`);
  }
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  steps.say(error.message);
  process.exitCode = error.exitCode;
}
