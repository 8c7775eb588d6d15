import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Shell } from '@hawser/command-line/command';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { TmuxScreen } from '../../testing/tmux.ts';
import { commands } from '../command-line/commands.ts';
import { completionScript } from './completion.ts';

// With the real shells.

const run = promisify(execFile);
let folder: string;
let env: { readonly [name: string]: string | undefined };

beforeEach(() => {
  folder = temporaryFolder();
  env = { PATH: process.env.PATH, HOME: folder, TERM: 'xterm' };
});

function script(shell: Shell): string {
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, completionScript(shell, commands));
  return path;
}

describe('bash completes', () => {
  const complete = async (...words: string[]) => {
    const [word = '', previous = ''] = [...words].reverse();
    const call = `COMP_WORDS=(${words.map((each) => `'${each}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _hawser hawser '${word}' '${previous}'; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', `source ${script('bash')}; ${call}`], { env, cwd: folder });
    return stdout.trim().split('\n');
  };

  it('commands', async () => {
    expect(await complete('hawser', 'sta')).toEqual(['status']);
    expect(await complete('hawser', '')).toEqual(expect.arrayContaining(['serve', 'review', 'completion', 'help']));
  });

  it('options, and the values that they can have', async () => {
    expect(await complete('hawser', 'review', '--rej')).toEqual(['--reject']);
    expect(await complete('hawser', 'serve', '--log-level', '')).toEqual(['info', 'error']);
    expect(await complete('hawser', 'completion', 'z')).toEqual(['zsh']);
  });

  it('names with spaces', async () => {
    await run('mkdir', [join(folder, 'my project')]);
    expect(await complete('hawser', 'serve', '--workspace', 'my')).toEqual(['my project']);
  });
});

describe('fish completes', () => {
  const complete = async (line: string) => {
    const { stdout } = await run('fish', ['--no-config', '-c', `source ${script('fish')}; complete -C '${line}'`], {
      env,
    });
    return stdout
      .trim()
      .split('\n')
      .map((each) => each.split('\t')[0]);
  };

  it('commands, options and values', async () => {
    expect(await complete('hawser sta')).toEqual(['status']);
    expect(await complete('hawser review --rej')).toEqual(['--reject']);
    expect(await complete('hawser serve --log-level ')).toEqual(['error', 'info']);
    expect(await complete('hawser completion z')).toEqual(['zsh']);
  });
});

describe('zsh completes', () => {
  it('commands, options and values', async () => {
    const file = script('zsh');
    writeFileSync(
      join(folder, '.zshrc'),
      `PS1='> '; autoload -U compinit; compinit -u -d $HOME/dump; source ${file}\n`,
    );
    const screen = await TmuxScreen.open('zsh --no-globalrcs', { folder, env, cwd: folder });
    try {
      await screen.shows(/^>/);
      await screen.press('hawser stat', 'Tab');
      await screen.shows('> hawser status');
      await screen.press('C-u', 'hawser review --rej', 'Tab');
      await screen.shows('> hawser review --reject');
      await screen.press('C-u', 'hawser completion z', 'Tab');
      await screen.shows('> hawser completion zsh');
      await screen.press('C-u', 'hawser serve --log-level ', 'Tab');
      await screen.shows(/error +info/);
    } finally {
      await screen.close();
    }
  });
});
