// Loads a bundle with the code that V8 compiled at build time: compiling it anew takes longer than the rest of a start.
'use strict';
const { closeSync, fstatSync, openSync, readFileSync, readSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

/**
 * Once in a process, whichever bundles ask for it.
 * @param {string} path
 * @returns {unknown} what the bundle exports
 */
function loadBundle(path) {
  const loaded = require.cache[path];
  if (loaded !== undefined) return loaded.exports;
  const compiled = readIfAny(compiledPath(path));
  if (compiled === undefined) return require(path);
  // Known before it runs: bundles that share code may need each other.
  const bundle = Object.assign(new Module(path), { loaded: true });
  require.cache[path] = bundle;
  // A bundle requires modules of Node, and what it shares with bundles beside it.
  const requireBeside = Object.assign(
    (/** @type {string} */ name) => (name.startsWith('./') ? loadBundle(join(dirname(path), name)) : require(name)),
    { cache: require.cache },
  );
  scriptOf(path, compiled).runInThisContext()(bundle.exports, requireBeside, bundle, path, dirname(path));
  return bundle.exports;
}

/**
 * Code compiled by one version of V8 is of no use to another.
 * @param {string} path
 */
function compiledPath(path) {
  return `${path}.${process.versions.v8}-${process.platform}-${process.arch}`;
}

/**
 * @param {string} path
 * @param {Buffer} [cachedData] ignored by V8 if it does not fit
 */
function scriptOf(path, cachedData) {
  return new vm.Script(wrapped(path), { filename: path, cachedData });
}

const BEFORE = '(function (exports, require, module, __filename, __dirname) {';
const AFTER = '\n})';

/**
 * The bundle as a function. Put together as bytes: joining texts would keep the bundle in memory twice.
 * @param {string} path
 */
function wrapped(path) {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.allocUnsafeSlow(BEFORE.length + size + AFTER.length);
    bytes.write(BEFORE, 0, 'latin1');
    readSync(file, bytes, BEFORE.length, size, 0);
    bytes.write(AFTER, BEFORE.length + size, 'latin1');
    // The bundler writes ASCII only, and latin1 is read sooner than UTF-8.
    return bytes.toString('latin1');
  } finally {
    closeSync(file);
  }
}

/** @param {string} path */
function readIfAny(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

module.exports = { compiledPath, loadBundle, scriptOf };
