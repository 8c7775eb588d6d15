#!/usr/bin/env node
import { homedir } from 'node:os';
import type { Environment } from './cli/environment.ts';

/** Set by the bundler, because reading package.json takes time at each start. */
declare const HAWSER_VERSION: string;

const { env } = process;
const environment: Environment = {
  cwd: process.cwd(),
  home: homedir(),
  xdgCacheHome: env.XDG_CACHE_HOME,
  programs: { sbcl: env.SBCL_BIN, ecl: env.ECL_BIN },
  variables: env,
  version: HAWSER_VERSION,
  stderr: (line) => void process.stderr.write(`${line}\n`),
};

// A bundle of its own, which the bundler has compiled.
import('./cli/command-line.ts')
  .then(({ runCommandLine }) => runCommandLine(process.argv, environment))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
