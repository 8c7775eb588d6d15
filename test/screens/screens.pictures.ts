// `npm run pictures -- screens`: pictures of the real program in a real terminal, drawn by xterm.js in chromium. Those in docs/images are
// made anew; HAWSER_SCREENS=FOLDER puts all of them, at both sizes and on both backgrounds, there instead.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { CartStage, TAB } from '../../packages/bridge/testing/screens/cart.ts';
import { pictureOf } from '../../packages/bridge/testing/screens/picture.ts';
import { sharedBrowser } from '../../packages/inspect/testing/browser.ts';

const folder = process.env.HAWSER_SCREENS;
const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** Pictures that pages of the documentation show. */
const SHOWN = ['idle-dark-80', 'review-dark-160', 'review-light-80'];

const browser = sharedBrowser();
if (folder !== undefined) mkdirSync(folder, { recursive: true });

const TERMINALS = [
  { columns: 80, rows: 24 },
  { columns: 160, rows: 45 },
].flatMap((size) => (['dark', 'light'] as const).map((background) => ({ ...size, background })));

it.each(TERMINALS)('$columns×$rows, $background', async (terminal) => {
  const stage = new CartStage();
  const screen = await stage.open(terminal);
  const keep = async (name: string) => {
    const full = `${name}-${terminal.background}-${terminal.columns}`;
    if (folder === undefined && !SHOWN.includes(full)) return;
    // Names of temporary folders mean nothing to a reader.
    const output = (await screen.colouredText())
      .replace(/\n$/, '')
      .replaceAll(stage.house.workspace, '/home/ada/shop')
      .replaceAll(' work | ', ' shop | ');
    writeFileSync(join(folder ?? images, `${full}.png`), await pictureOf(browser(), output, terminal));
  };
  try {
    await screen.shows('Languages');
    await keep('idle');
    await screen.press('5');
    await screen.shows('Nothing is checked');
    await keep('diagnostics');
    const agent = await stage.agent();
    await screen.press('3');
    await screen.shows('Connected as');
    await keep('agents');
    await screen.press('1');
    stage.propose(agent);
    await screen.shows('hunk 1 of 3');
    await screen.press(']');
    await screen.showsColoured((text) => text.includes('let\x1b['));
    await keep('review');
    await screen.press('v');
    await screen.shows(/let sum = 0; +│/);
    await keep('side-by-side');
    await agent.call('close_tab', { tab_name: TAB });
    writeFileSync(stage.file, stage.proposed);
    await screen.shows('accepted in claude-code');
    await keep('accepted-there');
  } finally {
    await screen.close();
    await stage.house.dispose();
  }
});
