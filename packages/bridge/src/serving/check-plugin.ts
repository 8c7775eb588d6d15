import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Environment } from '../command-line/environment.ts';
import { describePlugin, MissingHand, openLiveEditor, suitesLeftOut } from '../editor-kit/plugin-suites.mjs';
import { runSuites, type SuiteResult } from '../editor-kit/suite-runner.ts';

/** Runs the conformance kit on the plugin of an editor, and prints a report. */
export async function checkPlugin(
  [program, ...args]: readonly string[],
  only: string | undefined,
  environment: Environment,
): Promise<void> {
  if (program === undefined) {
    throw new CommandFailed(
      ExitCode.usage,
      'Name the command that starts the editor: hawser editor --check -- COMMAND',
    );
  }
  // It runs in another folder, so files of this one are named by their whole paths.
  const whole = (word: string) => {
    const path = resolve(environment.cwd, word);
    return /[/\\.]/.test(word) && existsSync(path) ? path : word;
  };
  const plugin = { command: [whole(program), ...args.map(whole)] as const, variables: environment.variables };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-check-')));
  try {
    const { editor, dispose } = await openLiveEditor(plugin, folder);
    const { name, capabilities } = editor;
    await dispose();
    const results: SuiteResult[] = [];
    const can = Object.keys(capabilities).filter((each) => each !== 'test');
    environment.stdout(`${name}: ${plugin.command.join(' ')}`);
    environment.stdout(`capabilities: ${can.join(', ') || 'none'}`);
    await runSuites(() => describePlugin(name, plugin, capabilities), {
      only,
      skips: MissingHand,
      onResult: (result) => {
        results.push(result);
        for (const line of linesOf(result)) environment.stdout(line);
      },
    });
    if (results.length === 0) throw new CommandFailed(ExitCode.usage, `No applicable test matches ${only}`);
    const leftOut = only === undefined ? suitesLeftOut(capabilities) : [];
    for (const { name: suite, reason } of leftOut) environment.stdout(`${WORDS.skipped} all of ${suite} (${reason})`);
    const count = (status: SuiteResult['status']) => results.filter((each) => each.status === status).length;
    const failed = count('failed');
    const suites = leftOut.length === 0 ? '' : `, and ${leftOut.length} whole suites`;
    environment.stdout(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped${suites}.`);
    if (failed > 0) throw new CommandFailed(ExitCode.failed, `${name} does not follow the protocol`);
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(ExitCode.failed, `The plugin can't be tested: ${messageOf(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const WORDS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const;

function linesOf({ name, status, reason }: SuiteResult): string[] {
  const [, ...words] = name;
  const line = `${WORDS[status]} ${words.join(': ')}`;
  if (reason === undefined) return [line];
  if (status === 'skipped') return [`${line} (${reason})`];
  return [line, ...reason.split('\n').map((each) => `          ${each}`)];
}
