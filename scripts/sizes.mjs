// @ts-check
// `node scripts/sizes.mjs`: packs and installs each package that is published, and prints what that costs, as the table in
// docs/install.md. With --write it puts the table there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { npmCommand } from './steps.mjs';

const page = join(root, 'docs', 'install.md');
const [npm = 'npm', ...prefix] = npmCommand(process.env).flat();

/** @param {string} cwd @param {string[]} args */
function runNpm(cwd, args) {
  return execFileSync(npm, [...prefix, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** @param {string} folder @returns {number} */
function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** @param {string} modules @returns {string[]} the names of the packages in it */
function packagesIn(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
    );
}

/** @param {number} bytes */
const inMib = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

const published = readdirSync(join(root, 'packages'))
  .map((name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')))
  .filter((manifest) => manifest.private !== true);

const folder = mkdtempSync(join(tmpdir(), 'hawser-sizes-'));
try {
  /** @type {Map<string, { file: string, size: number }>} */
  const packed = new Map();
  for (const { name } of published) {
    const [{ filename, size }] = JSON.parse(
      runNpm(root, ['pack', '--json', '--pack-destination', folder, '--workspace', name]),
    );
    packed.set(name, { file: join(folder, filename), size });
  }
  const rows = published.map(({ name, dependencies = {} }) => {
    const place = mkdtempSync(join(folder, 'installed-'));
    writeFileSync(join(place, 'package.json'), '{ "private": true }');
    const own = [name, ...Object.keys(dependencies)].flatMap((each) => packed.get(each)?.file ?? []);
    runNpm(place, ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...own]);
    const modules = join(place, 'node_modules');
    const others = packagesIn(modules).filter((each) => each !== name);
    const with_ = others.length === 0 ? 'itself' : `itself and ${others.length} more`;
    return `| \`${name}\` | ${inMib(packed.get(name)?.size ?? 0)} | ${inMib(bytesIn(modules))} | ${with_} |`;
  });
  const table = ['| package | download | installed | packages that npm installs |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
  process.stdout.write(`${table}\n`);
  if (process.argv.includes('--write')) {
    const text = readFileSync(page, 'utf8');
    const written = text.replace(/^\| package \|.*?(?=\n\n)/ms, table);
    if (!text.includes('| package |')) throw new Error(`${page} has no table of packages`);
    writeFileSync(page, written);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
