import { widthOf } from '@hawser/terminal-text/wrapping';
import { describe, expect, it } from 'vitest';
import { Framed } from '../../testing/framed.ts';
import type { MouseEvent } from './mouse.ts';
import type { Screen, View } from './view.ts';

/** Shows what it receives. */
class EchoView implements View {
  readonly name: string;
  readonly title: string;
  readonly help = [{ keys: 'x', does: `echo it${' and say much about it'.repeat(8)}` }];
  readonly hints = 'x echo';
  takesAllKeys = false;
  readonly received: string[] = [];

  constructor(name: string) {
    this.name = name;
    this.title = name;
  }

  draw() {
    return this.received.map((text) => [{ text }]);
  }

  key(key: string) {
    if (key === 'z') return 'unknown' as const;
    this.received.push(key);
    return 'handled' as const;
  }

  mouse({ kind, row, column }: MouseEvent) {
    this.received.push(`${kind} at ${row} ${column}`);
  }

  paste(text: string) {
    this.received.push(`pasted ${text}`);
  }

  activate() {
    this.received.push('activated');
  }

  deactivate() {
    this.received.push('deactivated');
  }
}

function open(
  options: Partial<ConstructorParameters<typeof Framed>[0]> = {},
  size = { columns: 80, rows: 24 },
  terminal: ConstructorParameters<typeof Framed>[2] = {},
) {
  const views = [new EchoView('one'), new EchoView('two')] as const;
  let screen: Screen | undefined;
  const framed = new Framed(
    {
      views: (given) => {
        screen = given;
        return [...views];
      },
      ...options,
    },
    size,
    terminal,
  );
  return { framed, views, screen: screen as unknown as Screen };
}

describe('Frame', () => {
  it('shows the tab bar, the status, the view and its keys, and sends the view its keys', async () => {
    const { framed } = open();
    framed.frame.setStatus('all is well');
    framed.press('xz');
    const rows = (await framed.sees('No such key: z. ? shows the keys.')).split('\n');
    expect(rows.slice(0, 4)).toEqual([' 1 one  2 two', ' all is well', 'activated', 'x']);
    expect(rows.at(-1)).toBe('x echo  ? help  q leave');
    framed.frame.leave();
  });

  it('digits and clicks on the tab bar change the view; clicks and pastes elsewhere go to it', async () => {
    const { framed, views } = open();
    framed.press('2\x1b[200~a\nb\x1b[201~\x1b[<0;4;6M\x1b[<0;3;1M');
    await framed.sees((screen) => screen.includes('deactivated'));
    expect(views[1].received).toEqual(['activated', 'pasted a\nb', 'click at 3 3', 'deactivated']);
    framed.frame.leave();
  });

  it('a view that takes all keys gets those of the frame, too, but not Ctrl-C', async () => {
    const { framed, views } = open();
    views[0].takesAllKeys = true;
    framed.press('q?2m');
    const shown = await framed.sees('m');
    expect(shown.split('\n').at(-1)).toBe('x echo');
    expect(views[0].received).toEqual(['activated', 'q', '?', '2', 'm']);
    framed.press('\x03');
    await framed.frame.over;
  });

  it.each([
    ['q', 'y'],
    ['\x03', '\x03'],
    ['\x04', 'y'],
  ])('asks before it leaves, if there is a reason to (%j)', async (leave, yes) => {
    const { framed } = open({ leaveQuestion: () => 'Really?' });
    framed.press(leave);
    await framed.sees('Really?');
    framed.press(`n${leave}`);
    await framed.sees('Really?');
    framed.press(yes);
    await framed.frame.over;
    expect(framed.output).toContain('\x1b[?1049l');
  });

  it.each([
    [80, 24],
    [20, 6],
    [20, 5],
    [40, 3],
  ])('a question is never cut: it wraps at %i columns and %i rows', async (columns, rows) => {
    const { framed, screen } = open({}, { columns, rows });
    screen.ask('End the bridge? 12 changes wait. y ends it, any other key goes back.', () => {});
    const shown = await framed.sees('goes back.');
    expect(shown.replace(/\s+/g, ' ')).toContain(
      'End the bridge? 12 changes wait. y ends it, any other key goes back.',
    );
    expect(shown.split('\n').length).toBeLessThanOrEqual(rows);
    framed.frame.leave();
  });

  it('a long message takes three rows at most, and the view keeps its place', async () => {
    const { framed, screen } = open({}, { columns: 40, rows: 12 });
    screen.say(`Your version is kept in /tmp/${'folder/'.repeat(30)}`);
    const rows = (await framed.sees('Your version')).split('\n');
    expect(rows).toHaveLength(12);
    expect(rows.findIndex((row) => row.startsWith('Your version'))).toBe(8);
    expect(rows[10]).toMatch(/…$/);
    expect(rows[11]).toBe('x echo  ? help  q leave');
    expect(rows[2]).toBe('activated');
    framed.frame.leave();
  });

  it('Ctrl-Z says why it does nothing, where it must not stop the program', async () => {
    const { framed } = open({ suspending: 'ignored' });
    framed.press('\x1a');
    await framed.sees('Ctrl-Z does nothing here: agents would wait for the bridge.');
    framed.frame.leave();
  });

  it.each([80, 40, 20])('the help is never cut: it wraps at %i columns', async (columns) => {
    const { framed } = open({ leaveHelp: 'end the bridge, after asking' }, { columns, rows: 100 });
    framed.press('?');
    const screen = await framed.sees('Everywhere');
    for (const row of screen.split('\n')) expect(widthOf(row)).toBeLessThanOrEqual(columns);
    // In two columns the words of one text are in rows of their own.
    for (const word of ['much', 'after', 'asking']) expect(screen).toContain(word);
    expect(screen.match(/much/g)).toHaveLength(8);
    framed.press('x');
    await framed.sees('activated');
    framed.frame.leave();
  });

  it('a help longer than the screen scrolls to its end', async () => {
    const { framed } = open({}, { columns: 80, rows: 12 });
    framed.press('?');
    expect(await framed.sees('j k Space scroll')).not.toContain('in reverse.');
    framed.press('G');
    await framed.sees('in reverse.');
    framed.press('k ');
    await framed.sees('in reverse.');
    framed.frame.leave();
  });

  it('lets the user type a line, with every character of it shown', async () => {
    const { framed, screen } = open();
    const typed: string[] = [];
    screen.prompt({ label: '/', change: (text) => typed.push(text), enter: (text) => typed.push(`entered ${text}`) });
    framed.press('aq\x1b[D漢\x7f\x1b[200~b\nc\x1b[201~\r');
    await framed.sees((shown) => !shown.includes('Enter confirms'));
    expect(typed).toEqual(['a', 'aq', 'aq', 'a漢q', 'aq', 'ab cq', 'entered ab cq']);
    framed.frame.leave();
  });

  it('draws again at another size, and only the rows that change', async () => {
    const { framed } = open();
    await framed.sees('activated');
    framed.output = '';
    framed.press('x');
    await framed.sees((screen) => /^x$/m.test(screen));
    expect(framed.output.match(/\[K/g)).toHaveLength(1);
    framed.resize(30, 6);
    const rows = (await framed.sees('x echo')).split('\n');
    expect(rows).toHaveLength(6);
    framed.frame.leave();
  });

  it('nothing is drawn while another program has the terminal', async () => {
    const { framed, screen } = open();
    await framed.sees('activated');
    await screen.lend(async () => {
      expect(framed.frame.isLent).toBe(true);
      framed.output = '';
      screen.say('a message');
      await new Promise((resolve) => setImmediate(resolve));
      expect(framed.output).toBe('');
    });
    await framed.sees('a message');
    framed.frame.leave();
  });
});

describe('The first frame of a terminal with many colours', () => {
  const BACKGROUND = '\x1b]11;rgb:ffff/ffff/ffff\x1b\\';
  const ATTRIBUTES = '\x1b[?1;2c';
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('waits until the terminal has said what stands behind it', async () => {
    const { framed } = open({}, { columns: 80, rows: 24 }, { colours: '256' });
    await turn();
    expect(framed.output.endsWith('\x1b]11;?\x1b\\\x1b[c')).toBe(true);
    framed.press(BACKGROUND);
    await framed.sees('activated');
    // The hints are dim; on a known background in a grey that can be read there.
    expect(framed.output).toMatch(/38;5;\d+mx echo/);
    framed.frame.leave();
  });

  it('does not wait for what a terminal can’t say, nor while a key is pressed, nor for long', async () => {
    for (const input of [ATTRIBUTES, 'x', '']) {
      const { framed, views } = open({}, { columns: 80, rows: 24 }, { colours: '256' });
      await turn();
      framed.press(input);
      await framed.sees('activated');
      expect(views[0].received.slice(1)).toEqual(input === 'x' ? ['x'] : []);
      expect(framed.output).toContain('\x1b[2mx echo');
      framed.frame.leave();
    }
  });

  it('is drawn again if the answer comes late', async () => {
    const { framed } = open({}, { columns: 80, rows: 24 }, { colours: '256' });
    framed.press(ATTRIBUTES);
    await framed.sees('activated');
    framed.press(BACKGROUND);
    await framed.sees(() => /38;5;\d+mx echo/.test(framed.output));
    framed.frame.leave();
  });

  it('is drawn at once with few colours, and nothing is asked', async () => {
    const { framed } = open({}, { columns: 80, rows: 24 }, { colours: '16' });
    await turn();
    expect(framed.screen).toContain('activated');
    expect(framed.output).not.toContain('\x1b]11');
    framed.frame.leave();
  });
});
