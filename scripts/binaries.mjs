// @ts-check
// `npm run binaries`: the hawser command as one file that needs no Node, in distribution/bin. Made with Bun, from npm.
//   npm run binaries -- linux-x64 darwin-arm64     for these platforms instead of this one; Bun fetches what it needs
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { prepare, root } from './prepare.mjs';
import { hawserOptions, program, version } from './program-options.mjs';
import { run, runSteps } from './steps.mjs';

const tools = join(root, 'node_modules', '.cache', 'binaries');
const target = join(root, 'distribution', 'bin');
const bridge = join(root, 'packages', 'bridge');
const here = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const wanted = process.argv.length > 2 ? process.argv.slice(2) : [here];

await runSteps(process.stdout, async (steps) => {
  await prepare(steps);
  await steps.install('bun', tools, ['bun@1']);
  mkdirSync(target, { recursive: true });
  const bundle = join(tools, 'hawser.mjs');
  const { options: more } = await hawserOptions('inside');
  await build({
    ...program,
    ...more,
    packages: 'bundle',
    conditions: ['@hawser/source'],
    entryPoints: [join(bridge, 'src', 'main.ts')],
    outfile: bundle,
  });
  for (const platform of wanted) {
    const file = join(target, `hawser-${version}-${platform}${platform.startsWith('windows') ? '.exe' : ''}`);
    const options = ['--compile', ...(platform === here ? [] : [`--target=bun-${platform}`]), `--outfile=${file}`];
    await steps.step(`hawser for ${platform}`, () =>
      run(join(tools, 'node_modules', '.bin', 'bun'), ['build', bundle, ...options]),
    );
    steps.say(`${file.slice(root.length)}, ${Math.round(statSync(file).size / 1e6)} MB`);
  }
});
