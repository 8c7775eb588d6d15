// `npm run pictures -- screens`: pictures of a proposal in the real Emacs and the real Vim, for their pages.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { PROGRAM } from '../../packages/bridge/testing/program.ts';
import { CartStage } from '../../packages/bridge/testing/screens/cart.ts';
import { pictureOf } from '../../packages/bridge/testing/screens/picture.ts';
import { shellLine, TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { sharedBrowser } from '../../packages/inspect/testing/browser.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const COMMAND = [process.execPath, PROGRAM, 'editor'];
const TERMINAL = { columns: 160, rows: 32, background: 'light' } as const;

const browser = sharedBrowser();

const EMACS = `(progn (setq frame-background-mode 'light)
                      (frame-set-background-mode (selected-frame))
                      (setq hawser-command '(${COMMAND.map((word) => JSON.stringify(word)).join(' ')})
                            hawser-folder-function (lambda () command-line-default-directory))
                      (menu-bar-mode -1) (js-mode) (hawser-mode))`;
const EDITORS = [
  {
    name: 'emacs',
    words: ['emacs', '-nw', '-Q', '-L', pathOf('editors/emacs'), '-l', 'hawser', 'src/cart.ts', '--eval', EMACS],
    shows: 'Hawser:1',
  },
  {
    name: 'vim',
    words: [
      ...['vim', '-Nu', 'NONE', '--cmd', `set rtp^=${pathOf('editors/vim')} ls=2 noswapfile viminfo= bg=light`],
      ...['--cmd', `let g:hawser_command = ${JSON.stringify(COMMAND)} | let g:hawser_autostart = 1`],
      ...['--cmd', 'set statusline=%f%=%{hawser#Statusline()}', '-c', 'colorscheme lunaperche', 'src/cart.ts'],
      ...['-c', 'runtime plugin/hawser.vim', '-c', 'Hawser start'],
    ],
    shows: 'ZZ accept',
  },
];

it.each(EDITORS)('a proposal in $name', async ({ name, words, shows }) => {
  const stage = new CartStage();
  const { home: folder, workspace: cwd } = stage.house;
  const agent = await stage.house.agent((await stage.house.serve()).line);
  const screen = await TmuxScreen.open(shellLine(words), {
    folder,
    env: stage.house.env,
    cwd,
    ...TERMINAL,
    background: '#ffffff',
  });
  try {
    await agent.notification('selection_changed', ({ filePath }) => filePath === stage.file);
    stage.propose(agent);
    await screen.shows((text) => text.includes(shows) && text.includes('reduce((sum'));
    const output = (await screen.colouredText()).replace(/\n$/, '').replaceAll(cwd, '/home/ada/shop');
    writeFileSync(pathOf(`docs/images/${name}-review.png`), await pictureOf(browser(), output, TERMINAL));
  } finally {
    await screen.close();
    await stage.house.dispose();
  }
});
