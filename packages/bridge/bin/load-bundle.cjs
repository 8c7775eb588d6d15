// Loads a bundle with the code that V8 compiled at build time: compiling it anew takes longer than the rest of a start.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname } = require('node:path');
const vm = require('node:vm');

/** @type {Map<string, { exports: unknown }>} */
const loaded = new Map();

/**
 * @param {string} path
 * @returns {unknown} what the bundle exports
 */
function loadBundle(path) {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const compiled = compiledPath(path);
  if (!existsSync(compiled)) return require(path);
  const bundle = { exports: {} };
  loaded.set(path, bundle);
  const script = scriptOf(path, readFileSync(compiled));
  script.runInThisContext()(bundle.exports, nodeModule.createRequire(path), bundle, path, dirname(path));
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
  // The bundler writes ASCII only, and latin1 is read sooner than UTF-8.
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'latin1')}\n})`;
  return new vm.Script(source, { filename: path, cachedData });
}

module.exports = { compiledPath, loadBundle, scriptOf };
