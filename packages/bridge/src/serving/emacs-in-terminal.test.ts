import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import { logInStatus } from '../../testing/log-in.ts';
import { type Household, openDiff, PROGRAM, temporaryHousehold } from '../../testing/program.ts';
import { shellLine, type TmuxScreen } from '../../testing/tmux.ts';

const EMACS = fileURLToPath(new URL('../../../../editors/emacs/', import.meta.url));
const OLD = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 19\n', 'LINE 19\n');
/** -Q finds no packages of Debian. */
const DEBIAN = ['-q', '--eval', '(setq native-comp-deferred-compilation nil)', '--eval', '(package-initialize)'];

describe('Emacs in a terminal, with the keys of a user', () => {
  let house: Household;
  let agent: Agent;
  let file: string;
  let emacs: TmuxScreen;

  beforeEach(async () => {
    house = temporaryHousehold();
    file = house.file('a.txt', OLD);
    const bridge = await house.serve();
    agent = await house.agent(bridge.line);
  });

  const open = async (settings = '', options = ['-Q']) => {
    const command = `(setq hawser-command '("${process.execPath}" "${PROGRAM}" "editor") ${settings})`;
    const words = ['emacs', '-nw', ...options, '-L', EMACS, '-l', 'hawser', 'a.txt'];
    words.push('--eval', command, '-f', 'hawser-mode');
    emacs = await house.screen(shellLine(words), { columns: 120, rows: 40 });
    await emacs.shows('Hawser)');
    await agent.notification('selection_changed', ({ filePath }) => filePath === file);
  };
  const isGone = (text: string) => !text.includes('*hawser') && text.includes('line 20');

  it('the selection is what the region is', async () => {
    await open();
    await emacs.press('C-Space', 'C-n');
    await agent.notification('selection_changed', ({ text }) => text === 'line 1\n');
  });

  it('a proposal appears beside the text; hunks are rejected with r, C-c C-c accepts the rest, and the windows are as before', async () => {
    await open();
    const before = await emacs.text();
    const answer = openDiff(agent, file, NEW);
    await emacs.shows((text) => text.includes('+LINE 19') && text.includes('Hawser:1'));
    await emacs.press('C-x', 'o', 'r');
    await emacs.shows('@@ rejected');
    await emacs.press('C-c', 'C-c');
    expect(await answer).toEqual(['FILE_SAVED', OLD.replace('line 19\n', 'LINE 19\n')]);
    const after = await emacs.shows((text) => isGone(text) && text.includes('accepted'));
    expect(after.split('\n').slice(0, 38)).toEqual(before.split('\n').slice(0, 38));
  });

  it('hawser-review-in-browser makes a link to the review in the browser', async () => {
    await open();
    await emacs.press('M-x', 'hawser-review-in-browser', 'Enter');
    const [link = ''] = /http:\S+/.exec(await emacs.shows('Open this link, once (C-y has it): http')) ?? [];
    expect(await logInStatus(link)).toBe(200);
  });

  it('nothing appears while the user is in the minibuffer', async () => {
    await open();
    await emacs.press('M-x');
    await emacs.shows('M-x');
    const answer = openDiff(agent, file, NEW);
    await emacs.shows('Hawser:1');
    await emacs.press('v', 'e', 'r');
    expect(await emacs.shows('ver')).not.toContain('+LINE 2');
    await emacs.press('C-g');
    await emacs.shows('+LINE 2');
    await emacs.press('C-x', 'o', 'C-c', 'C-k');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await emacs.shows(isGone);
  });

  it('nothing appears while the user has typed a part of a key sequence, and its echo stays', async () => {
    await open();
    await emacs.press('C-x');
    await emacs.shows('C-x-');
    void openDiff(agent, file, NEW).catch(() => {});
    const screen = await emacs.shows('Hawser:1');
    expect(screen).not.toMatch(/\+LINE 2|proposes/);
    expect(screen).toContain('C-x-');
    await emacs.press('C-g');
    await emacs.shows('+LINE 2');
  });

  it('notes with c, and C-c C-r asks for changes', async () => {
    await open();
    const answer = openDiff(agent, file, NEW);
    await emacs.shows('+LINE 2');
    await emacs.press('C-x', 'o', 'n', 'p', 'c');
    await emacs.shows('Note:');
    await emacs.press('w', 'h', 'y', 'Enter');
    await emacs.shows('# Note: why');
    await emacs.press('C-c', 'C-r');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await emacs.shows(isGone);
    expect(readFileSync(file, 'utf8')).toBe(OLD);
  });

  it('the text is edited with e, and C-c C-c accepts what it is then', async () => {
    await open();
    const answer = openDiff(agent, file, NEW);
    await emacs.shows('+LINE 2');
    await emacs.press('C-x', 'o', 'e');
    await emacs.shows('*hawser text: a.txt*');
    await emacs.press('M-<', 'm', 'y', 'Space', 'C-c', 'C-c');
    expect(await answer).toEqual(['FILE_SAVED', `my ${NEW}`]);
    await emacs.shows(isGone);
  });

  it('what the user has edited is merged with a change of the file', async () => {
    await open();
    const answer = openDiff(agent, file, NEW);
    await emacs.shows('+LINE 2');
    await emacs.press('C-x', 'o', 'e');
    await emacs.shows('*hawser text: a.txt*');
    await emacs.press('M-<', 'm', 'y', 'Space', 'C-c', 'C-d');
    await emacs.shows('+my line 1');
    writeFileSync(file, OLD.replace('line 10\n', 'line ten\n'));
    await emacs.shows('The file has changed since');
    await emacs.press('e');
    await emacs.shows(/line ten.*line ten/s);
    await emacs.press('C-c', 'C-c');
    expect(await answer).toEqual(['FILE_SAVED', `my ${NEW.replace('line 10\n', 'line ten\n')}`]);
    await emacs.shows(isGone);
  });

  it.for(['term', 'vterm'])(
    'M-x hawser-agent starts a program in %s with what it needs to find the bridge',
    async (terminal) => {
      await open(`hawser-terminal '${terminal}`, DEBIAN);
      await emacs.press('M-x');
      await emacs.press(...'hawser-agent', 'Enter');
      await emacs.shows('Agent:');
      await emacs.press('s', 'h', 'Enter');
      await emacs.shows('*hawser sh*');
      await emacs.press(...'echo "port=$CLAUDE_CODE_SSE_PORT."', 'Enter');
      await emacs.shows(/port=\d+\./);
    },
  );

  it('in Ediff a takes a change back, C-c C-c accepts, and the windows are as before', async () => {
    await open("hawser-view 'ediff hawser-popup 'select");
    const before = await emacs.text();
    const answer = openDiff(agent, file, NEW);
    await emacs.shows('Ediff Control Panel');
    await emacs.press('n', 'a', 'C-c', 'C-c');
    expect(await answer).toEqual(['FILE_SAVED', OLD.replace('line 19\n', 'LINE 19\n')]);
    const after = await emacs.shows((text) => isGone(text) && !text.includes('Ediff'));
    expect(after.split('\n').slice(0, 38)).toEqual(before.split('\n').slice(0, 38));
  });
});
