#!/usr/bin/env node
// npm links this file when it installs, before `dist` is built.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'main.cjs');
if (existsSync(program)) {
  require(program);
} else {
  console.error(`hawser-inspect: ${program} is not built. Run npm run build in the repository first.`);
  process.exitCode = 1;
}
