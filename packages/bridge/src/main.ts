#!/usr/bin/env node
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserTerminal } from '@hawser/command-line/environment';
import { processEnvironment } from '@hawser/command-line/process-environment';
import type { Environment } from './command-line/environment.ts';
import { backgroundOf, colourDepthOf } from './terminal/colours.ts';
import type { TerminalOptions } from './terminal/terminal.ts';

/** Set by the bundler, because reading package.json takes time at each start. */
declare const HAWSER_VERSION: string;

const { env } = process;
const environment: Environment = Object.assign(
  processEnvironment({ name: 'hawser', version: HAWSER_VERSION, terminal: withColours }),
  {
    program: [process.execPath, ...process.argv.slice(1, 2)] as const,
    temporaryFolder: tmpdir(),
    searchPath: env.PATH ?? '',
    pid: process.pid,
    isWindows: process.platform === 'win32',
    editor: env.VISUAL || env.EDITOR || 'vi',
    editors: async () => {
      const { discoveryPlaces, editorFinder } = await import('./command-line/editor-finder.ts');
      return editorFinder(discoveryPlaces(environment));
    },
  },
);

void main(process.argv.slice(2));

/** Each command loads only what it needs, when it needs it. */
async function main(args: readonly string[]): Promise<void> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    environment.stdout(environment.version);
    return;
  }
  keepCompiledCode();
  const { runCommandLine } = await import('./command-line/command-line.ts');
  process.exitCode = await runCommandLine(args, environment);
}

/**
 * For a Node that the bundles were not compiled for: from 22 on it keeps compiled code in a folder. Not in the temporary
 * folder, where other users could write.
 */
function keepCompiledCode(): void {
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  const { enableCompileCache } = process.getBuiltinModule('node:module') as CompileCache;
  enableCompileCache?.(join(environment.stateFolder, 'compile-cache'));
}

interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}

function withColours(terminal: UserTerminal): TerminalOptions {
  return {
    ...terminal,
    colours: colourDepthOf(env),
    background: backgroundOf(env),
    mouse: env.HAWSER_MOUSE === 'off' ? 'no' : 'yes',
  };
}
