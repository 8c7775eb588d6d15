// Loaded by `node --require` before the bridge: when the process exits, it keeps what V8 has compiled of each bundle.
'use strict';
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');
const { compiledPath } = require('../packages/bridge/bin/load-bundle.cjs');

vm.Script = class extends vm.Script {
  /**
   * @param {string} source
   * @param {import('node:vm').ScriptOptions & { filename: string }} options
   */
  constructor(source, options) {
    super(source, options);
    process.on('exit', () => writeFileSync(compiledPath(options.filename), this.createCachedData()));
  }
};
