// @ts-check
// Checks the Lua of the Neovim plugin: its format with StyLua, its types with lua-language-server, the rest with luacheck.
//   node scripts/lua.mjs            checks
//   node scripts/lua.mjs --write    formats
// Files and folders may follow; otherwise it is the whole plugin.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as stylua from '@johnnymorganz/stylua';
import { cacheFolder } from './fetch-neovim.mjs';
import { root } from './prepare.mjs';
import { run } from './steps.mjs';
import { thisMachine } from './system-packages.mjs';

const { argv } = process;
const writes = argv[2] === '--write';
const given = argv.slice(writes ? 3 : 2).map((path) => resolve(path));
const files = luaFiles(
  given.length > 0 ? given : ['lua', 'plugin', 'test/lua', 'test/nvim'].map((name) => join(root, name)),
);

const unformatted = files.filter((file) => !isFormatted(file));
if (unformatted.length > 0) {
  console.error(['These files are not formatted; run npm run format:', ...unformatted].join('\n  '));
  process.exitCode = 1;
}
if (!writes) process.exitCode = (await lint()) || process.exitCode;
if (!writes && given.length === 0) process.exitCode = checkTypes() || process.exitCode;

/**
 * Formats a file if this is to be done.
 * @param {string} file
 */
function isFormatted(file) {
  const code = readFileSync(file, 'utf8');
  if (format(file, code, stylua.OutputVerification.None) === code) return true;
  if (writes) writeFileSync(file, format(file, code, stylua.OutputVerification.Full));
  return writes;
}

/**
 * @param {string} file
 * @param {string} code
 * @param {stylua.OutputVerification} verification
 */
function format(file, code, verification) {
  try {
    return stylua.formatCode(code, styluaConfig(), undefined, verification);
  } catch (error) {
    console.error(`${file} was not formatted: ${error}`);
    process.exit(1);
  }
}

/** What stylua.toml says. The library does not read it, and takes a new configuration for each call. */
function styluaConfig() {
  /** @type {Record<string, Record<string, unknown>>} */
  const enums = { syntax: stylua.LuaVersion, indent_type: stylua.IndentType, quote_style: stylua.QuoteStyle };
  const settings = readFileSync(join(root, 'stylua.toml'), 'utf8').matchAll(/^(\w+) = (?:(\d+)|"(\w+)")$/gm);
  const config = stylua.Config.new();
  for (const [, name = '', number, word = ''] of settings) {
    const value = number === undefined ? enums[name]?.[word] : Number(number);
    if (!(name in config) || value === undefined) throw new Error(`stylua.toml: scripts/lua.mjs does not know ${name}`);
    Object.assign(config, { [name]: value });
  }
  return config;
}

/** @returns {Promise<number>} exit code */
async function lint() {
  if (!thisMachine.isPresent('luacheck')) {
    console.error(
      'luacheck is missing, which checks the Lua of the Neovim plugin. Install it with one of these:\n' +
        '  sudo apt-get install lua-check\n  brew install luacheck\n  luarocks install luacheck',
    );
    return 1;
  }
  const settings = ['--config', join(root, '.luacheckrc'), '--formatter', 'plain'];
  return run('luacheck', [...settings, ...files.map((file) => relative(root, file))], { cwd: root });
}

/**
 * Checks annotations and calls against the types of Neovim's own Lua, as .luarc.json says. Neither npm nor Debian has the
 * checker, so it is used where it is; .github/workflows/test.yml installs it.
 * @returns {number} exit code
 */
function checkTypes() {
  const runtime = join(cacheFolder, 'sid', 'share', 'nvim', 'runtime');
  const missing = !thisMachine.isPresent('lua-language-server')
    ? 'lua-language-server is not installed'
    : !existsSync(runtime) && 'npm run test:real -- neovim has not fetched a Neovim with types';
  if (missing) {
    console.log(`The types in the Lua of the Neovim plugin were not checked: ${missing}.`);
    return 0;
  }
  const logs = mkdtempSync(join(tmpdir(), 'hawser-luals-'));
  const settings = [`--configpath=${join(root, '.luarc.json')}`, '--checklevel=Hint', `--logpath=${logs}`];
  const { status, stdout } = spawnSync('lua-language-server', [`--check=${root}`, ...settings], {
    env: { ...process.env, VIMRUNTIME: runtime },
    encoding: 'utf8',
  });
  rmSync(logs, { recursive: true, force: true });
  // What is written over itself is its progress.
  if (status !== 0) console.error(stripVTControlCharacters(stdout).replaceAll(/^.*\r/gm, ''));
  return status ?? 1;
}

/**
 * @param {readonly string[]} paths
 * @returns {string[]}
 */
function luaFiles(paths) {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.lua'))
      .sort()
      .map((name) => join(path, name));
  });
}
