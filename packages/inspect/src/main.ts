#!/usr/bin/env node
import { processEnvironment } from '@hawser/command-line/process-environment';
import { runOnlyCommand } from '@hawser/command-line/run-command';
import { inspectCommand } from './command/inspect-spec.ts';

/** Set by the bundler. */
declare const HAWSER_VERSION: string;

const NAME = 'hawser-inspect';
const environment = processEnvironment({ name: NAME, version: HAWSER_VERSION, terminal: (terminal) => terminal });
void runOnlyCommand(inspectCommand('unknown'), NAME, process.argv.slice(2), environment).then((code) => {
  process.exitCode = code;
});
