import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolderIn } from '@hawser/command-line/environment';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import { type Household, openDiff, PROGRAM, type ServedBridge, temporaryHousehold } from '../../testing/program.ts';
import type { TmuxScreen } from '../../testing/tmux.ts';
import { keptFiles } from '../review/applying/kept-texts.ts';

const OLD = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 12\n', '').replace('line 19\n', 'LINE 19\nmore\n');

let house: Household;
let bridge: ServedBridge;
let agent: Agent;
let file: string;

beforeEach(() => {
  house = temporaryHousehold();
  file = house.file('a.txt', OLD);
});

async function serve(): Promise<void> {
  bridge = await house.serve();
  agent = await house.agent(bridge.line);
}

async function screen(
  args: string,
  { editor = 'false', before = 'exec', columns = 80, rows = 24 } = {},
): Promise<TmuxScreen> {
  const command = `sh -c "${before} '${process.execPath}' '${PROGRAM}' ${args}"`;
  return await house.screen(command, { env: { ...house.env, EDITOR: editor }, columns, rows });
}

async function reviewing(options?: Parameters<typeof screen>[1]): Promise<TmuxScreen> {
  const opened = await screen('review', options);
  await opened.shows(options?.rows === undefined || options.rows > 6 ? /^ work \|/m : /./);
  return opened;
}

/** The rows of a screen, without the bar at their end. */
const rowsOf = (text: string) => text.split('\n').map((row) => row.replace(/ *[│┃]$/, ''));

const all =
  (...texts: string[]) =>
  (shown: string) =>
    texts.every((text) => shown.includes(text));

describe('hawser review in a terminal', () => {
  beforeEach(serve);

  it('shows the change with who asks, and a accepts it whole', async () => {
    const answer = openDiff(agent, file, NEW);
    const view = await reviewing();
    const text = await view.shows(all('| claude-code: reviewed |', 'hunk 1 of 3', '5  line 5'));
    expect(rowsOf(text).slice(1, 10)).toEqual([
      ' work | claude-code: reviewed | shares no file',
      'a.txt (proposed by claude-code)',
      'hunk 1 of 3, +3 -3',
      '      1  1  line 1',
      '>1 ?  2    -line 2',
      '▌        2 +LINE 2',
      '      3  3  line 3',
      '      4  4  line 4',
      '      5  5  line 5',
    ]);
    await view.press('a');
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
    await view.shows('a.txt: accepted');
    await view.shows('Nothing waits for a decision.');
  });

  it('colours what is added and removed, unless NO_COLOR says not to; HAWSER_MOUSE leaves the mouse to the terminal', async () => {
    void openDiff(agent, file, NEW);
    const view = await reviewing();
    await view.shows('+LINE 2');
    // Of the 256 colours, behind the lines.
    const coloured = await view.colouredText();
    expect(coloured).toContain('\x1b[48;5;52m');
    expect(coloured).toContain('\x1b[48;5;22m');
    const plain = await house.screen(`NO_COLOR=1 HAWSER_MOUSE=off '${process.execPath}' '${PROGRAM}' review`);
    await plain.shows('+LINE 2');
    expect(await plain.colouredText()).not.toMatch(/\[(3[0-7]|90|[34]8;[\d;]+)m/);
    expect(await plain.ask('#{mouse_any_flag}')).toBe('0');
  });

  it('y and n hunk by hunk: the agent gets exactly what was accepted', async () => {
    const answer = openDiff(agent, file, NEW);
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    await view.press('y');
    await view.shows('hunk 2 of 3');
    await view.press('n');
    await view.shows('hunk 3 of 3');
    await view.press('y');
    const text = await view.shows('All hunks decided, 2 of 3 accepted: Enter sends it');
    expect(text).toContain('>3 y 19    -line 19');
    await view.press('Enter');
    expect(await answer).toEqual(['FILE_SAVED', NEW.replace('line 11\n', 'line 11\nline 12\n')]);
    await view.shows('a.txt: accepted with changes');
  });

  it('r rejects, and the file is as it was', async () => {
    const answer = openDiff(agent, file, NEW, 'a tab');
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    await view.press('r');
    expect(await answer).toEqual(['DIFF_REJECTED', 'a tab']);
    await view.shows('a.txt: rejected');
    expect(readFileSync(file, 'utf8')).toBe(OLD);
  });

  it('e edits the result in $EDITOR, in a private file that is gone afterwards; a accepts that', async () => {
    const script = join(house.home, 'editor.sh');
    const seen = join(house.home, 'seen');
    writeFileSync(script, `stat -c '%a %n' "$1" "$(dirname "$1")" > '${seen}'; echo 'my own line' >> "$1"\n`);
    const answer = openDiff(agent, file, NEW);
    const view = await reviewing({ editor: `sh '${script}'` });
    await view.shows('hunk 1 of 3');
    await view.press('e');
    await view.shows('This is your version');
    await view.press('G');
    await view.shows('+my own line');
    const [inner = '', outer = ''] = readFileSync(seen, 'utf8').split('\n');
    expect(inner).toMatch(/^600 .*\/a\.txt$/);
    expect(outer).toMatch(/^700 /);
    await view.press('a');
    expect(await answer).toEqual(['FILE_SAVED', `${NEW}my own line\n`]);
    await view.shows('a.txt: accepted with changes');
    expect(readdirSync(house.home).filter((name) => name.startsWith('hawser-edit-'))).toEqual([]);
  });

  it('a real editor has the terminal for itself, and the view takes it again', async () => {
    const proposed = NEW.replace(/\n$/, '');
    const answer = openDiff(agent, file, proposed);
    const view = await reviewing({ editor: 'nvim --clean' });
    await view.shows('hunk 1 of');
    await view.press('e');
    await view.shows(/^line 1$/m);
    await view.press(':%s/LINE 2/Mine/', 'Enter', ':wq', 'Enter');
    await view.shows('This is your version');
    await view.press('j', 'a');
    expect(await answer).toEqual(['FILE_SAVED', proposed.replace('LINE 2', 'Mine')]);
  });

  it('an editor that fails changes nothing', async () => {
    const answer = openDiff(agent, file, NEW);
    const view = await reviewing({ editor: 'false' });
    await view.shows('hunk 1 of 3');
    await view.press('e');
    await view.shows('Not edited: false ended with code 1');
    await view.press('a');
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
  });

  it('a text without a final newline keeps having none, although the editor adds one', async () => {
    const script = join(house.home, 'editor.sh');
    writeFileSync(script, `sed -i 's/LINE 2$/Line Two/' "$1"; printf '\\n' >> "$1"\n`);
    const proposed = NEW.replace(/\n$/, '');
    const answer = openDiff(agent, file, proposed);
    const view = await reviewing({ editor: `sh '${script}'` });
    await view.shows('hunk 1 of');
    await view.press('e');
    await view.shows('This is your version');
    await view.press('a');
    expect(await answer).toEqual(['FILE_SAVED', proposed.replace('LINE 2', 'Line Two')]);
  });

  it('a change withdrawn while it is edited: the text is kept, and Ctrl-C in the editor is left to the editor', async () => {
    const script = join(house.home, 'editor.sh');
    writeFileSync(
      script,
      `trap 'echo interrupted' INT; echo editing; until read answer; do :; done; echo "$answer" >> "$1"\n`,
    );
    void openDiff(agent, file, NEW, 'a tab');
    const view = await reviewing({ editor: `sh '${script}'` });
    await view.shows('hunk 1 of 3');
    await view.press('e');
    await view.shows('editing');
    await view.press('C-c');
    await view.shows('interrupted');
    await agent.call('close_tab', { tab_name: 'a tab' });
    await view.press('my words', 'Enter');
    await view.shows('Your version is kept in');
    const [kept = ''] = keptFiles(stateFolderIn(house.home, undefined));
    expect(readFileSync(kept, 'utf8')).toContain('my words\n');
    await view.press('x', 'q');
    await view.shows('ended 0');
  });

  it.each([
    ['q', (view: TmuxScreen) => view.press('q'), 'ended 0'],
    ['SIGTERM', () => process.kill(Number(readFileSync(join(house.home, 'pid'), 'utf8')), 'SIGTERM'), 'ended 143'],
  ])(
    'what was edited and not sent is kept when %s ends the view, and its last words say where',
    async (_, end, ended) => {
      const script = join(house.home, 'editor.sh');
      writeFileSync(script, `echo 'my words' >> "$1"\n`);
      void openDiff(agent, file, NEW);
      const before = `echo \\$\\$ > '${join(house.home, 'pid')}'; exec`;
      const view = await reviewing({ editor: `sh '${script}'`, before });
      await view.shows('hunk 1 of 3');
      await view.press('e');
      await view.shows('your version');
      await end(view);
      await view.shows('was not sent');
      await view.shows(ended);
      const [kept = '', ...others] = keptFiles(stateFolderIn(house.home, undefined));
      expect(others).toEqual([]);
      expect(readFileSync(kept, 'utf8')).toContain('my words\n');
    },
  );

  it('Ctrl-Z gives the terminal back to the shell, and fg takes it again', async () => {
    void openDiff(agent, file, NEW);
    const shell = await house.screen('bash --norc --noprofile -i');
    await shell.shows(/^bash-\S+[$#]/);
    await shell.press(`'${process.execPath}' '${PROGRAM}' review`, 'Enter');
    await shell.shows('hunk 1 of 3');
    await shell.press('C-z');
    await shell.shows('Stopped');
    expect(await shell.ask('#{alternate_on}')).toBe('0');
    await shell.press('fg', 'Enter');
    await shell.shows('hunk 1 of 3');
    await shell.press('q');
    await shell.shows((text) => !text.includes('hunk 1 of 3'));
    await shell.press('exit', 'Enter');
    await shell.shows('ended 0');
  });

  it('Ctrl-Z without a shell to go back to changes nothing', async () => {
    void openDiff(agent, file, NEW);
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    await view.press('C-z');
    await view.shows('There is no shell to go back to.');
    await view.press('y');
    await view.shows('hunk 2 of 3');
  });

  it('what the agent withdraws goes with a word, and a key on its way decides nothing else', async () => {
    const first = openDiff(agent, file, NEW, 'first');
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    const other = join(house.workspace, 'b.txt');
    const second = openDiff(agent, other, 'new\n', 'second');
    await view.shows('b.txt: new file, proposed by claude-code');
    await agent.call('close_tab', { tab_name: 'first' });
    await view.shows('This change was decided in claude-code.');
    expect((await view.text()).split('\n')[0]).toMatch(/^ 1 Review 1 /);
    expect(await first).toEqual(['DIFF_REJECTED', 'first']);
    await view.press('r');
    await view.shows('b.txt (new file, proposed by claude-code)');
    await view.press('a');
    expect(await second).toEqual(['FILE_SAVED', 'new\n\n']);
  });

  it('what the user accepts in the agent’s own terminal is said to be accepted there, and nothing waits', async () => {
    void openDiff(agent, file, NEW, 'a tab');
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    // As Claude Code does: it closes the diff, then writes the file, and closes the diff once more.
    await agent.call('close_tab', { tab_name: 'a tab' });
    writeFileSync(file, NEW);
    await agent.call('close_tab', { tab_name: 'a tab' });
    const text = await view.shows('This change was accepted in claude-code.');
    expect(text.split('\n')[0]).toMatch(/^ 1 Review {2}2 Files/);
    await view.press('x');
    await view.shows('Nothing waits for a decision.');
  });

  it('what the user rejects there leaves the file as it was, and that is said', async () => {
    void openDiff(agent, file, NEW, 'a tab');
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    await agent.call('close_tab', { tab_name: 'a tab' });
    await view.shows(all('This change was decided in claude-code.', 'a.txt is as it was.'));
  });

  it('an agent that leaves takes its changes along', async () => {
    const leaving = await house.agent(bridge.line);
    void openDiff(leaving, file, NEW);
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    leaving.close();
    await view.shows('This change was withdrawn: ');
    await view.press('x');
    await view.shows('Nothing waits for a decision.');
  });

  it('a file that changes while an agent is connected, without a proposal, is shown, and r takes that back', async () => {
    const view = await reviewing();
    // Watching begins a moment after the agent has connected, and compares with the text of that moment.
    const texts = [OLD];
    await vi.waitFor(
      async () => {
        texts.push(`${texts.length}\n${OLD}`);
        writeFileSync(file, texts.at(-1) ?? '');
        await view.shows('a.txt (claude-code (probably) changed it without asking', 2000);
      },
      { timeout: 60_000 },
    );
    await view.shows('a keep  r take back');
    await view.press('r');
    await view.shows('a.txt: rejected');
    expect(texts.slice(0, -1)).toContain(readFileSync(file, 'utf8'));
  });

  it('of two reviewers the first decides, and the other sees it', async () => {
    const answer = openDiff(agent, file, NEW);
    const [one, two] = await Promise.all([reviewing(), reviewing()]);
    await Promise.all([one.shows('hunk 1 of 3'), two.shows('hunk 1 of 3')]);
    await one.press('a');
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
    await two.shows('This change was accepted in terminal.');
    await two.press('r');
    await two.shows('Nothing waits for a decision.');
  });

  it('several changes are listed in the order in which they were proposed; arrows go from one to the other', async () => {
    const names = ['b.txt', 'c.txt'].map((name) => join(house.workspace, name));
    for (const name of [file, ...names]) void openDiff(agent, name, `text of ${name}\n`);
    const view = await reviewing();
    const rows = ['a', 'b', 'c'].map((name, index) => `${index + 1}/3 ${name}.txt (claude-code)`);
    await view.shows(all('1 Review 3', ...rows));
    await view.press('h', 'h', 'Right');
    await view.shows(/> 2\/3/);
    await view.press('h');
    await view.shows(/> 1\/3/);
  });

  it('scrolls through a long change, line by line, by page, by hunk, to its ends', async () => {
    const long = Array.from({ length: 500 }, (_, index) => `row ${index + 1}\n`).join('');
    void openDiff(agent, join(house.workspace, 'long.txt'), long);
    const view = await reviewing();
    await view.shows(/^>1 \? +1 \+row 1 /m);
    await view.press('j', 'Down');
    await view.shows(/^> +3 \+row 3 /m);
    await view.press('PageDown');
    await view.shows(/^> +20 \+row 20 /m);
    await view.press('G');
    await view.shows(/^> +500 \+row 500 /m);
    await view.press('k');
    await view.shows(/^> +499 \+row 499 /m);
    await view.press('g');
    await view.shows(/^>1 \? +1 \+row 1 /m);
  });

  it('nothing that a file holds does anything to the terminal, and wide characters stay in their columns', async () => {
    const nasty = '\x1b[2J\x1b]0;owned\x07\x9b31m\rover 漢字 e\u0301 \u202edesrever\u202c\ttab 😀 👨‍👩‍👧 end\n';
    void openDiff(agent, join(house.workspace, 'nasty.txt'), nasty);
    const view = await reviewing({ columns: 110 });
    const text = await view.shows(all('1 Review 1', '^[[2J'));
    expect(text).toMatch(
      /\+\^\[\[2J\^\[\]0;owned\^G<9B>31m\^M\n▌ +2 \+over 漢字 e\u0301 <202E>desrever<202C> {8}tab 😀 👨‍👩‍👧 end\n/,
    );
    expect(await view.ask('#{pane_title}')).not.toBe('owned');
  });

  it('follows the size of the terminal, down to a very small one', async () => {
    const line = `${'x'.repeat(60)}end`;
    void openDiff(agent, join(house.workspace, 'wide.txt'), `${line}\n`);
    const view = await reviewing();
    await view.shows('xend');
    await view.resize(40, 10);
    const text = await view.shows((shown) => /^▌ +x{27}end$/m.test(shown));
    expect(text.split('\n').filter((row) => row.includes('xxx')).length).toBe(2);
    await view.resize(12, 4);
    await view.shows((shown) => shown.split('\n').every((row) => row.length <= 12) && shown.includes('+xxxxx'));
    await view.resize(100, 30);
    await view.shows('a accept  r reject');
  });

  it('what is pasted is not taken for keys', async () => {
    const answer = openDiff(agent, file, NEW);
    const view = await reviewing();
    await view.shows('hunk 1 of 3');
    await view.paste('a r y n q\n');
    await view.press('n');
    await view.shows('hunk 2 of 3');
    await view.press('r');
    expect((await answer)[0]).toBe('DIFF_REJECTED');
  });

  it('the whole flow at 80×24: search, split, copy, y, n, undo, another file, and a sends what is not rejected', async () => {
    const answers = [openDiff(agent, file, NEW)];
    const view = await reviewing();
    await view.shows('a.txt (proposed by claude-code');
    answers.push(openDiff(agent, join(house.workspace, 'b.txt'), 'one\ntwo\nthree\n'));
    await view.allowClipboard();
    await view.shows(all('1 Review 2', '1/2 ', '2/2 '));
    await view.press('/', 'more', 'Enter');
    await view.shows(/^> +19 \+more /m);
    await view.press('s');
    await view.shows('Hunk 3 is two hunks now');
    await view.press('c');
    await view.shows('lines of hunk 4 are copied.');
    expect(await view.clipboard()).toBe('more\n');
    await view.press('n');
    await view.shows('hunk 1 of 4, +3 -3, 0 accepted, 1 rejected, 3 undecided');
    await view.press('n', 'u', 'l');
    await view.shows(/^> 2\/2 b\.txt/m);
    await view.press('j', 's', 'n');
    await view.shows(/^ 2 n +2 \+two$/m);
    await view.press('a');
    expect(await answers[1]).toEqual(['FILE_SAVED', 'one\n\n']);
    await view.shows('hunk 1 of 4');
    await view.press('a');
    expect(await answers[0]).toEqual(['FILE_SAVED', NEW.replace('more\n', '')]);
    await view.shows('Nothing waits for a decision.');
  });

  it('the whole flow at 200×50: side by side, in colours, changed words, folds, the mouse, all of an agent', async () => {
    const code = Array.from({ length: 60 }, (_, index) => `const value${index} = "text"; // note\n`).join('');
    const source = join(house.workspace, 'code.ts');
    writeFileSync(source, code);
    const changed = code.replace('value30 = "text"', 'value30 = "other"');
    const answers = [openDiff(agent, source, changed)];
    const view = await reviewing({ columns: 200, rows: 50 });
    await view.shows('code.ts (proposed by claude-code');
    answers.push(openDiff(agent, file, NEW));
    const text = await view.shows(all('1 Review 2', '> M code.ts', '  M a.txt', '⋯ 27 unchanged lines'));
    expect(text).toMatch(/│>1 \? 31 -const value30 = "text"; \/\/ note +│ 31 \+const value30 = "other"; \/\/ note$/m);
    await view.shows('⋯ 27 unchanged lines, + shows more');
    // A keyword in its colour, and the word that changes on its tint: both follow the first frame.
    await view.showsColoured('\x1b[35mconst');
    await view.showsColoured('\x1b[48;5;28mother');
    const click = async (what: string, column: number) => {
      const rows = (await view.shows(what)).split('\n');
      await view.click(
        rows.findIndex((row) => row.includes(what)),
        column,
      );
    };
    await click('⋯ 27', 60);
    await view.shows('⋯ 20 unchanged lines');
    await click('M a.txt', 5);
    await view.shows('hunk 1 of 3');
    await view.send('\x1b[<65;60;20M');
    await view.shows(/│> +5 +line 5/m);
    await view.press('v');
    await view.shows(/│ 1 \? +2 +-line 2(?: |$)/m);
    expect(await view.ask('#{mouse_sgr_flag}')).toBe('1');
    await view.press('m');
    await view.shows('m takes it back');
    expect(await view.ask('#{mouse_sgr_flag}')).toBe('0');
    await view.press('A');
    await view.shows('Accept: y all 2 changes of claude-code');
    await view.press('x', 'A', 'y');
    expect(await Promise.all(answers)).toEqual([
      ['FILE_SAVED', changed],
      ['FILE_SAVED', NEW],
    ]);
    await view.shows('2 changes accepted.');
  });

  it('? tells the keys, q leaves without deciding, and the terminal is as it was', async () => {
    void openDiff(agent, file, NEW);
    const view = await reviewing();
    await view.press('?');
    await view.shows('accept, reject the hunk at the cursor, and go to the next one that');
    await view.press('G');
    await view.shows('leave; what is not decided stays open');
    await view.press('x', 'q');
    expect((await view.shows('ended 0')).trim()).toBe('ended 0');
    expect(await view.ask('#{alternate_on} #{cursor_flag} #{wrap_flag} #{bracket_paste_flag}')).toMatch(/^0 1 1/);
    expect((await house.run('review', '--list')).out).toContain('a.txt');
  });

  it.each([
    ['HUP', 129],
    ['INT', 130],
    ['TERM', 143],
  ])('SIG%s gives the terminal back', async (signal, code) => {
    const view = await reviewing({ before: 'echo \\$\\$ > pid; exec' });
    expect(await view.ask('#{alternate_on}')).toBe('1');
    process.kill(Number(readFileSync(join(house.workspace, 'pid'), 'utf8')), `SIG${signal}`);
    await view.shows(`ended ${code}`);
    expect(await view.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
  });

  it('when the bridge ends, so does the view, and says so', async () => {
    const view = await reviewing();
    await house.run('stop');
    const text = await view.shows('ended 6');
    expect(text).toContain('hawser: The bridge has ended');
    expect(await view.ask('#{alternate_on}')).toBe('0');
  });

  it('p pauses and resumes', async () => {
    const view = await reviewing();
    await view.press('p');
    await view.shows('PAUSED: shares nothing');
    expect((await agent.callRaw('getOpenEditors')).isError).toBe(true);
    await view.press('p');
    await view.shows('shares no file');
    expect((await agent.callRaw('getOpenEditors')).isError).toBe(false);
  });
});

describe('hawser serve in a terminal', () => {
  it('shows what it serves and what is proposed, and decides; q ends it after asking', async () => {
    const view = await screen('serve');
    const shown = await view.shows('no agent connected');
    // Addresses are for hawser status.
    expect(shown).not.toMatch(/ws:|unix:/);
    const line = await house.lineOf('claude-code');
    agent = await house.agent(line);
    await view.shows(/^ work \| claude-code: reviewed if it asks \|/m);
    const answer = openDiff(agent, file, NEW);
    await view.shows('hunk 1 of 3');
    await view.press('a');
    expect(await answer).toEqual(['FILE_SAVED', NEW]);
    await view.press('q');
    await view.shows('End the bridge? y ends it');
    await view.press('n', 'q');
    await view.shows('End the bridge? y ends it');
    await view.press('y');
    const text = await view.shows('ended 0');
    expect(text).toContain(line.replace('/ lock', ' lock').slice(0, 60));
    expect(await view.ask('#{alternate_on}')).toBe('0');
    expect(existsSync(join(house.home, '.claude', 'ide'))).toBe(false);
  });

  it('Ctrl-C asks while changes wait, like q, and a second one ends it; the help says so', async () => {
    const view = await screen('serve');
    await view.shows('no agent connected');
    agent = await house.agent(await house.lineOf('claude-code'));
    void openDiff(agent, file, NEW).catch(() => {});
    await view.shows('hunk 1 of 3');
    await view.press('?', 'G');
    await view.shows(/q Ctrl-C +end the bridge, after asking/);
    await view.press('x', 'C-c');
    await view.shows('End the bridge? 1 change waits. y ends it, any other key goes back.');
    await view.press('n', 'j');
    await view.shows('hunk 1 of 3');
    await view.press('C-c', 'C-c');
    await view.shows('ended 0');
    expect(await view.ask('#{alternate_on} #{mouse_any_flag}')).toBe('0 0');
  });

  it('hawser review and hawser stop reach it, and it gives the terminal back', async () => {
    const view = await screen('serve');
    await view.shows('no agent');
    expect((await house.run('status')).out).toContain('proposals  0 open, reviewed by terminal');
    await house.run('stop');
    await view.shows('ended 0');
    expect(await view.ask('#{alternate_on}')).toBe('0');
  });

  it('with --headless it has no view', async () => {
    const view = await screen('serve --headless');
    await view.shows('hawser: listening on ws://');
    expect(await view.ask('#{alternate_on}')).toBe('0');
    await view.press('C-c');
    await view.shows('ended 0');
  });
});
