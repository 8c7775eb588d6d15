#!/usr/bin/env node
import { loadedWhenRun } from '@hawser/command-line/command';
import { processEnvironment } from '@hawser/command-line/process-environment';
import { runOnlyCommand } from '@hawser/command-line/run-command';
import { checkCommand } from './command/check.ts';

/** Set by the bundler. */
declare const HAWSER_VERSION: string;

const NAME = 'hawser-check';
const environment = processEnvironment({ name: NAME, version: HAWSER_VERSION, terminal: (terminal) => terminal });
const command = loadedWhenRun(checkCommand('unknown'), async () => (await import('./command/check.ts')).checkServer);
void runOnlyCommand(command, NAME, process.argv.slice(2), environment).then((code) => {
  process.exitCode = code;
});
