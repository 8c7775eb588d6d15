// @ts-check
// Unpacks newer Neovims than the system's from Debian's packages, beside the system and without changing it.
//   node scripts/fetch-neovim.mjs            both, into node_modules/.cache/neovim
//   node scripts/fetch-neovim.mjs trixie     one of them
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './prepare.mjs';

/** Where tests look for them. */
export const cacheFolder = join(root, 'node_modules', '.cache', 'neovim');

/** Debian's suites, and the Neovim that each had when this was written. */
export const suites = { trixie: '0.10', sid: '0.12' };

/** Parts of the system that a Neovim that only runs tests does without. */
const UNNEEDED = /^(perl|debconf|dpkg|libc-bin|gcc-\d+-base)/;

/**
 * @param {string} suite
 * @returns {string} the program
 */
export function fetchNeovim(suite) {
  const home = join(cacheFolder, suite);
  const program = join(home, 'bin', 'nvim');
  if (existsSync(program)) return program;
  mkdirSync(cacheFolder, { recursive: true });
  // Built elsewhere and moved when it is complete: what is there works.
  const unfinished = mkdtempSync(join(cacheFolder, `.${suite}-`));
  const work = mkdtempSync(join(tmpdir(), 'hawser-fetch-'));
  try {
    unpack(download(suite, work), join(unfinished, 'root'));
    rmSync(home, { recursive: true, force: true });
    renameSync(unfinished, home);
    makeProgram(home);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true });
  }
  return program;
}

/**
 * Neovim, what it needs, and the tool that makes it use that instead of the system's.
 * @param {string} suite
 * @param {string} work an empty folder
 * @returns {string[]} the packages' files
 */
function download(suite, work) {
  const archive = archiveOf(aptSources());
  if (archive === undefined) throw new Error('No Debian archive stands in /etc/apt: this works on Debian alone');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'debs']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(work, 'sources.list'), `deb [signed-by=${keyring}] ${archive} ${suite} main\n`);
  const settings = {
    'Dir::Etc::sourcelist': join(work, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(work, 'lists'),
    'Dir::Cache': join(work, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
  };
  const options = ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  run('apt-get', [...options, 'update']);
  const without = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (each) => `--no-${each}`,
  );
  const graph = run('apt-cache', [...options, 'depends', '--recurse', ...without, 'neovim']);
  const names = packagesIn(graph).filter((name) => !UNNEEDED.test(name));
  run('apt-get', [...options, 'download', ...new Set([...names, 'patchelf', 'libstdc++6'])], join(work, 'debs'));
  return readdirSync(join(work, 'debs')).map((name) => join(work, 'debs', name));
}

/**
 * The real packages in the output of `apt-cache depends --recurse`: those at the start of a line, not those that only
 * others provide.
 * @param {string} graph
 */
export function packagesIn(graph) {
  return [...new Set(graph.split('\n').filter((line) => /^[a-z0-9][a-z0-9+.-]*$/.test(line)))];
}

/**
 * The first archive of Debian in apt's sources, of either style.
 * @param {readonly string[]} texts
 */
export function archiveOf(texts) {
  for (const text of texts) {
    const [, uri] = /^URIs:\s*(\S+)/m.exec(text) ?? /^deb\s+(?:\[[^\]]*\]\s*)?(\S+debian\/?)\s/m.exec(text) ?? [];
    if (uri !== undefined) return uri;
  }
  return undefined;
}

function aptSources() {
  const folder = '/etc/apt/sources.list.d';
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [...files.filter((path) => /\.(sources|list)$/.test(path)), '/etc/apt/sources.list']
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
}

/**
 * @param {readonly string[]} packages
 * @param {string} target
 */
function unpack(packages, target) {
  mkdirSync(target, { recursive: true });
  for (const file of packages) run('dpkg-deb', ['-x', file, target]);
}

/**
 * The program names the loader and libraries that came with it: it needs a newer C library than the system has.
 * @param {string} home
 */
function makeProgram(home) {
  const folder = join(home, 'root');
  const libraries = find(join(folder, 'usr', 'lib'), /-linux-gnu[^/]*$/);
  const loader = find(libraries, /^ld-linux[^/]*\.so\.\d+$/);
  mkdirSync(join(home, 'bin'));
  const unfinished = join(home, 'bin', '.nvim');
  copyFileSync(join(folder, 'usr', 'bin', 'nvim'), unfinished);
  chmodSync(unfinished, 0o755);
  const patchelf = ['--library-path', libraries, join(folder, 'usr', 'bin', 'patchelf')];
  run(loader, [...patchelf, '--set-interpreter', loader, '--force-rpath', '--set-rpath', libraries, unfinished]);
  // Where the program looks for its runtime files, from its own place.
  symlinkSync(join('root', 'usr', 'share'), join(home, 'share'));
  symlinkSync(join('root', 'usr', 'lib'), join(home, 'lib'));
  renameSync(unfinished, join(home, 'bin', 'nvim'));
}

/**
 * @param {string} folder
 * @param {RegExp} name
 */
function find(folder, name) {
  const found = readdirSync(folder).find((each) => name.test(each));
  if (found === undefined) throw new Error(`Nothing in ${folder} is called ${name}`);
  return join(folder, found);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
function run(command, args, cwd) {
  return execFileSync(command, args, {
    ...(cwd !== undefined && { cwd }),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  for (const suite of wanted.length > 0 ? wanted : Object.keys(suites)) {
    const program = fetchNeovim(suite);
    console.log(`${program}: ${run(program, ['--version']).split('\n', 1)[0]}`);
  }
}
