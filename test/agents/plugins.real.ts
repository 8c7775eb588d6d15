import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../../packages/bridge/testing/neovim/neovims.ts';
import { PROGRAM } from '../../packages/bridge/testing/program.ts';
import type { TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { claudeCode } from './agents/claude-code.ts';
import { CHANGED, END, gated, PROMPT, textOf } from './gated.ts';
import { install } from './install.ts';
import { LINES, TEXT } from './lines.ts';
import { AgentStage } from './stage.ts';

// A real agent and a user at the keys of an editor: `npm run test:real -- emacs` and `-- vim`.

const COMMAND = [process.execPath, PROGRAM, 'editor'];
const EMACS = join(repository, 'editors', 'emacs');
const VIM = join(repository, 'editors', 'vim');

interface Editor {
  readonly command: readonly string[];
  /** When the proposal is on the screen. */
  readonly shows: string;
  /** To get from the text to the proposal. */
  readonly go: readonly string[];
  readonly accept: readonly string[];
  readonly reject: readonly string[];
  /** Takes the first change back. */
  readonly takeBack: readonly string[];
  readonly ask: (words: string) => readonly string[];
}

const editors: { readonly [name: string]: Editor } = {
  Emacs: {
    command: [
      ...['emacs', '-nw', '-Q', '-L', EMACS, '-l', 'hawser', 'a.txt'],
      ...['--eval', `(setq hawser-command '(${COMMAND.map((word) => JSON.stringify(word)).join(' ')}))`],
      ...['-f', 'hawser-mode'],
    ],
    shows: '+ELEVEN',
    go: ['C-x', 'o'],
    accept: ['C-c', 'C-c'],
    reject: ['C-c', 'C-k'],
    takeBack: ['r'],
    ask: (words) => ['C-c', 'C-r', ...words, 'Enter'],
  },
  Vim: {
    command: [
      ...[
        'vim',
        '-Nu',
        'NONE',
        '--cmd',
        `set rtp^=${VIM} noswapfile encoding=utf-8`,
        '--cmd',
        'runtime plugin/hawser.vim',
      ],
      ...['--cmd', `let g:hawser_command = ${JSON.stringify(COMMAND)}`, '-c', 'Hawser start', 'a.txt'],
    ],
    shows: 'ZZ accept',
    go: [],
    accept: ['ZZ'],
    reject: ['ZQ'],
    takeBack: ['do'],
    ask: (words) => [`:Hawser ask ${words}`, 'Enter'],
  },
};

for (const [name, editor] of Object.entries(editors)) {
  describe(`${claudeCode.title} ${claudeCode.version} with ${name}`, { timeout: 200_000 }, () => {
    let stage: AgentStage;
    let screen: TmuxScreen;
    let agent: TmuxScreen;

    beforeAll(() => install(claudeCode), 600_000);
    beforeEach(async () => {
      stage = await AgentStage.open(claudeCode);
      screen = await stage.startEditor(editor.command);
      agent = await stage.startAgent({ gate: [] });
      const turns = gated.find((each) => each.agent === claudeCode)?.edit(stage.path) ?? [];
      stage.model.script([...turns, { say: END }]);
      await stage.prompt(PROMPT);
      await screen.shows(editor.shows);
      await press(editor.go);
      expect(stage.fileText()).toBe(TEXT);
    });
    afterEach(() => stage.close());

    const press = async (keys: readonly string[]) => {
      if (keys.length > 0) await screen.press(...keys);
    };
    const decide = async (...keys: readonly string[]) => {
      await press(keys);
      await agent.shows(END);
      await stage.proposals(0);
      await screen.shows((text) => !text.includes(editor.shows));
    };
    const told = () => stage.model.received.at(-1) ?? '';

    it('accepted: it is written', async () => {
      await decide(...editor.accept);
      expect(stage.fileText()).toBe(textOf(CHANGED));
    });

    it('edited, one change taken back: the rest is written', async () => {
      await press(editor.takeBack);
      await decide(...editor.accept);
      expect(stage.fileText()).toBe(textOf(LINES.with(10, 'ELEVEN')));
    });

    it('rejected: nothing is written', async () => {
      await decide(...editor.reject);
      expect(stage.fileText()).toBe(TEXT);
    });

    it('asked for changes: nothing is written, and the model reads the words', async () => {
      await decide(...editor.ask('shorter'));
      expect([stage.fileText(), told()]).toEqual([TEXT, expect.stringContaining('shorter')]);
    });
  });
}
