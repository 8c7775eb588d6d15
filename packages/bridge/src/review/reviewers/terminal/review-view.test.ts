import { describe, expect, it } from 'vitest';
import { ReviewingView } from '../../../../testing/reviewing-view.ts';

const OLD = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 17\n', 'LINE 17\n');
const ONLY_SECOND = OLD.replace('line 17\n', 'LINE 17\n');

function setUp<Ids extends string[]>(...ids: Ids) {
  const user = new ReviewingView();
  const reviews = user.add(...ids.map((id) => ({ id, oldText: OLD, newText: NEW })));
  const decisions = () => reviews.map((review) => review.decisions);
  return { user, view: user.view, reviews, decisions };
}

describe('ReviewView', () => {
  it('a accepts all, r rejects, and no other key counts until the answer arrives', async () => {
    const { user, decisions } = setUp('one', 'two');
    user.press('a', 'a', 'r', 'y');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: NEW }], []]);
    await user.settle();
    expect(user.notice).toBe('/w/one: accepted');
    user.press('r');
    expect(decisions()[1]).toEqual([{ kind: 'rejected' }]);
  });

  it('y and n decide hunk by hunk, and Enter sends it once all are decided', () => {
    const { user, decisions } = setUp('one');
    user.press('n', 'enter');
    expect(user.notice).toBe('Not decided yet: 1 of 2 hunks.');
    user.press('y');
    expect(decisions()).toEqual([[]]);
    user.press('enter');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: ONLY_SECOND }]]);
  });

  it('all hunks rejected one by one is a rejection', () => {
    const { user, decisions } = setUp('one');
    user.press('n', 'n', 'enter');
    expect(decisions()).toEqual([[{ kind: 'rejected' }]]);
  });

  it('a after n accepts what is not decided, and r after y rejects it', () => {
    const { user, decisions } = setUp('one', 'two');
    user.press('n', 'a');
    expect(decisions()[0]).toEqual([{ kind: 'accepted', text: ONLY_SECOND }]);
    const other = setUp('one');
    other.user.press('tab', 'y', 'r');
    expect(other.decisions()[0]).toEqual([{ kind: 'accepted', text: ONLY_SECOND }]);
    const none = setUp('one');
    none.user.press('n', 'n', 'a');
    expect(none.decisions()[0]).toEqual([{ kind: 'accepted', text: OLD }]);
  });

  it('u takes the last decision back and goes there, U all of them', () => {
    const { user, view, decisions } = setUp('one');
    user.press('y', 'n', 'u');
    expect([view.current?.mark(0), view.current?.mark(1)]).toEqual(['yes', undefined]);
    expect(view.current?.page.hunk).toBe(1);
    user.press('u', 'u');
    expect(user.notice).toBe('There is nothing to take back.');
    user.press('y', 'y', 'U', 'enter');
    expect(decisions()).toEqual([[]]);
    expect(view.current?.undecided).toBe(2);
  });

  it('deciding a hunk again as it was decided is nothing that u takes back', () => {
    const { user, view } = setUp('one');
    user.press('y', '[', 'y', 'u');
    expect(view.current?.undecided).toBe(2);
    user.press('u');
    expect(user.notice).toBe('There is nothing to take back.');
  });

  it('s splits a hunk at the cursor; each part is decided by itself, and u makes one of them again', () => {
    const user = new ReviewingView();
    const [review] = user.add({ id: 'one', oldText: 'a\nb\nz\n', newText: 'A\nB\nC\nz\n' });
    user.press('s');
    expect(user.view.current?.hunkCount).toBe(2);
    user.press('u');
    expect(user.view.current?.hunkCount).toBe(1);
    // At the second added line.
    user.press('j', 'j', 'j', 's', 'tab', 'n', 'y', 'enter');
    expect(review?.decisions).toEqual([{ kind: 'accepted', text: 'A\nb\nz\n' }]);
  });

  it('what can’t be split says so', () => {
    const user = new ReviewingView();
    user.add({ id: 'one', oldText: 'a\n', newText: 'b\n' });
    user.press('s');
    expect(user.notice).toBe('It can’t be split here.');
  });

  it('A and R decide all changes of an agent, or of a set, after asking; rejected hunks stay rejected', async () => {
    const user = new ReviewingView();
    const set = { id: 's', title: 'Rename it', size: 2 };
    const reviews = user.add(
      { id: 'one', oldText: OLD, newText: NEW, set: { ...set, index: 0 } },
      { id: 'two', arrival: 1, oldText: OLD, newText: NEW, set: { ...set, index: 1 } },
      { id: 'three', arrival: 2 },
      { id: 'four', arrival: 3, agent: 'another' },
    );
    expect(user.rows).toContain('/w/one (proposed by an agent, 1 of 2: Rename it)');
    user.press('n', 'A');
    expect(user.notice).toBe(
      'Accept: s the 2 of “Rename it”, y all 3 changes of an agent, e all 4 changes of every agent; any other key goes back.',
    );
    user.press('x');
    expect(reviews.flatMap(({ decisions }) => decisions)).toEqual([]);
    user.press('A', 's');
    await user.settle();
    expect(reviews.map(({ decisions }) => decisions)).toEqual([
      [{ kind: 'accepted', text: ONLY_SECOND }],
      [{ kind: 'accepted', text: NEW }],
      [],
      [],
    ]);
    expect(user.notice).toBe('2 changes accepted.');
    user.press('R');
    expect(user.notice).toMatch('Reject: y the only change of an agent, e all 2 changes of every agent;');
    user.press('y');
    await user.settle();
    expect(reviews.map(({ decisions }) => decisions.length)).toEqual([1, 1, 1, 0]);
    expect(user.view.entries.map(({ id }) => id)).toEqual(['four']);
  });

  it('A and R keep what was decided hunk by hunk, and say what became of it', async () => {
    const { user, decisions } = setUp('one', 'two', 'three');
    user.press('n', 'n', 'A', 'y');
    await user.settle();
    const texts = decisions().map(([decision]) => decision?.kind === 'accepted' && decision.text);
    expect(texts).toEqual([OLD, NEW, NEW]);
    expect(user.notice).toBe('2 changes accepted, 1 rejected.');
    const other = setUp('one', 'two');
    other.user.press(']', 'y', 'R', 'y');
    await other.user.settle();
    expect(other.decisions()).toEqual([[{ kind: 'accepted', text: ONLY_SECOND }], [{ kind: 'rejected' }]]);
    expect(other.user.notice).toBe('1 change rejected, 1 accepted.');
  });

  it('A leaves what has changed since for the user to look at', async () => {
    const { user, reviews, decisions } = setUp('one', 'two');
    reviews[1]?.refresh({ oldText: `new\n${OLD}`, newText: `new\n${NEW}`, base: 'merged' });
    user.press('A', 'y');
    await user.settle();
    expect(decisions()).toEqual([[{ kind: 'accepted', text: NEW }], []]);
    expect(user.notice).toBe('1 change accepted, 1 left: look at them one by one, their files may have changed.');
  });

  it('proposals are in the order in which they were proposed, whatever came first', () => {
    const user = new ReviewingView();
    user.add({ id: 'second', arrival: 2 }, { id: 'first', arrival: 1 }, { id: 'third', arrival: 3 });
    expect(user.view.entries.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
    expect(user.view.current?.id).toBe('second');
  });

  it('/ finds text, . and , go to the next and the previous match, and Esc forgets it', () => {
    const { user, view } = setUp('one');
    const line = () => user.rows.find((row) => row.startsWith('>'));
    user.press('/', 'line 17');
    expect(line()).toContain('-line 17');
    user.press('.');
    expect(line()).toContain('+LINE 17');
    user.press('.', ',', ',');
    expect(line()).toContain('-line 17');
    expect(
      user
        .draw()
        .flat()
        .filter(({ style }) => style?.colour === 'yellow')
        .map(({ text }) => text),
    ).toEqual(['line 17', 'LINE 17']);
    user.press('escape');
    expect(
      user
        .draw()
        .flat()
        .some(({ style }) => style?.colour === 'yellow'),
    ).toBe(false);
    user.press('/', 'nowhere');
    expect(user.notice).toBe('Not found: nowhere');
    expect(view.current?.undecided).toBe(2);
  });

  it('a search shows folded lines if only they match', () => {
    const { user } = setUp('one');
    expect(user.rows.some((row) => row.includes('line 10'))).toBe(false);
    user.press('/', 'line 10');
    expect(user.rows.find((row) => row.startsWith('>'))).toContain('line 10');
    expect(user.notice).toBe('');
  });

  it('c copies what the hunk adds, or else what it removes', () => {
    const { user } = setUp('one');
    user.press('c');
    expect(user.notice).toBe('The new lines of hunk 1 are copied.');
    user.add({ id: 'two', arrival: 1, oldText: 'a\nb\n', newText: 'b\n' });
    user.press('right', 'c');
    expect(user.copied).toEqual(['LINE 2\n', 'a\n']);
  });

  it('+ and - show more and fewer unchanged lines, and the cursor stays at its line', () => {
    const { user } = setUp('one');
    const folds = () => user.rows.flatMap((row) => /⋯ (\d+)/.exec(row)?.[1] ?? []);
    expect(folds()).toEqual(['8']);
    user.press('-');
    expect(folds()).toEqual(['2', '14', '2']);
    user.press('tab', '+', '+');
    expect(folds()).toEqual([]);
    expect(user.rows.find((row) => row.startsWith('>'))).toContain('-line 17');
    user.press('+', '+', '+', '+');
    expect(user.notice).toBe('All unchanged lines are shown.');
  });

  it('the mouse scrolls, goes to lines and listed changes, and unfolds', () => {
    const { user, view } = setUp('one', 'two');
    const rowWith = (text: string) => user.rows.findIndex((row) => row.includes(text));
    const click = (text: string) => view.mouse({ kind: 'click', row: rowWith(text), column: 5 });
    click('2/2 /w/two');
    expect(view.current?.id).toBe('two');
    click('line 4');
    expect(user.rows.find((row) => row.includes('line 4'))).toMatch(/^>/);
    click('⋯ 8');
    expect(rowWith('⋯')).toBe(-1);
    view.mouse({ kind: 'wheel', step: -1, row: 9, column: 9 });
    expect(view.current?.undecided).toBe(2);
  });

  it('e starts with what is not rejected; the edited text is what is accepted, and Esc drops it after asking', async () => {
    const { user, reviews, decisions } = setUp('one');
    let edited = '';
    user.editText = (text) => {
      edited = text;
      return `mine\n${NEW}`;
    };
    user.press('n', 'e');
    await user.settle();
    expect(edited).toBe(ONLY_SECOND);
    for (const review of reviews) review.answer = { kind: 'unknown' };
    user.press('a');
    await user.settle();
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'accepted', text: `mine\n${NEW}` });
    expect(user.notice).toBe('Not decided: the bridge does not know this change any more.');
    user.press('escape');
    expect(user.notice).toBe('Drop your version? y drops it, any other key goes back.');
    user.press('n', 'a');
    await user.settle();
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'accepted', text: `mine\n${NEW}` });
    user.press('escape', 'y', 'a');
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'accepted', text: NEW });
  });

  it('an editor that is left without a change leaves what was decided', async () => {
    const { user, view } = setUp('one');
    user.press('n', 'e');
    await user.settle();
    expect(user.notice).toMatch('Nothing edited.');
    expect([view.current?.edited, view.current?.mark(0), view.current?.undecided]).toEqual([undefined, 'no', 1]);
    user.press('u');
    expect(view.current?.undecided).toBe(2);
  });

  it('hunks of an edited text are decided too', async () => {
    const { user, decisions } = setUp('one');
    user.editText = () => `mine\n${OLD.replace('line 17\n', 'other\n')}`;
    user.press('e');
    await user.settle();
    user.press('y', 'n', 'enter');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: `mine\n${OLD}` }]]);
  });

  it('what was said of the last change is gone when the next appears', async () => {
    const { user } = setUp('one');
    user.press('a');
    await user.settle();
    expect(user.notice).toBe('/w/one: accepted');
    user.add({ id: 'two' });
    expect(user.notice).toBe('');
  });

  it('a proposal that another view sent back says so in a sentence', () => {
    const { user, reviews } = setUp('one');
    reviews[0]?.end({ kind: 'changesRequested', by: 'Neovim' });
    expect(user.rows).toContain('  This change was sent back with a request for changes in Neovim.');
  });

  it('a withdrawn proposal stays until a key is pressed, and that key does nothing else', () => {
    const { user, view, reviews, decisions } = setUp('one', 'two');
    const outcome = { kind: 'withdrawn', reason: 'it left' } as const;
    reviews[0]?.end(outcome);
    expect(view.current?.outcome).toEqual(outcome);
    expect(user.rows).toContain('  This change was withdrawn: it left.');
    // It waits no more.
    expect(view.badge).toBe('1');
    expect(view.takesAllKeys).toBe(true);
    user.press('a');
    expect(decisions()).toEqual([[], []]);
    expect(view.current?.id).toBe('two');
  });

  it('a proposal that is not on the screen goes with a message', () => {
    const { user, view, reviews } = setUp('one', 'two');
    reviews[1]?.end({ kind: 'withdrawn', reason: 'it left' });
    expect(view.entries.map(({ id }) => id)).toEqual(['one']);
    expect(user.notice).toBe('/w/two: withdrawn: it left');
  });

  it('an edited version is kept when its proposal ends, and not when the user decided it', async () => {
    const { user, reviews } = setUp('one', 'two');
    user.editText = () => 'mine';
    user.press('e');
    await user.settle();
    user.press('right', 'e');
    await user.settle();
    user.press('left');
    reviews[0]?.end({ kind: 'rejected', by: 'neovim' });
    expect(user.kept).toEqual([{ path: '/w/one', text: 'mine' }]);
    user.press('x', 'a');
    reviews[1]?.end({ kind: 'accepted', text: 'changed', writer: 'agent', by: 'terminal' });
    await user.settle();
    expect(user.kept).toHaveLength(1);
  });

  it('the second of two reviewers sees the decision of the first', async () => {
    const { user, view, reviews } = setUp('one');
    for (const review of reviews) review.answer = { kind: 'ended', outcome: { kind: 'rejected', by: 'neovim' } };
    user.press('a');
    reviews[0]?.end({ kind: 'rejected', by: 'neovim' });
    await user.settle();
    expect(view.current?.outcome).toEqual({ kind: 'rejected', by: 'neovim' });
    user.press('x');
    expect(view.current).toBeUndefined();
  });

  it('a decision that came too late keeps the edited version and says where', async () => {
    const { user, reviews } = setUp('one');
    user.editText = () => 'mine';
    user.press('e');
    await user.settle();
    for (const review of reviews) review.answer = { kind: 'ended', outcome: { kind: 'rejected', by: 'neovim' } };
    user.press('a');
    await user.settle();
    expect(user.notice).toBe('Your version is kept in /kept/w/one');
    expect(user.kept).toEqual([{ path: '/w/one', text: 'mine' }]);
  });

  it('after the file has changed, the first key that accepts only says so, and rejecting needs one key', async () => {
    const { user, view, reviews, decisions } = setUp('one');
    user.press('y');
    reviews[0]?.refresh({ oldText: `new\n${OLD}`, newText: `new\n${NEW}`, base: 'merged' });
    expect(user.notice).toBe('/w/one: the file has changed; the proposal was merged with it');
    expect(view.current?.undecided).toBe(2);
    user.press('a');
    expect(decisions()).toEqual([[]]);
    expect(user.notice).toBe('Press again to accept: the file has changed; the proposal was merged with it');
    for (const review of reviews) review.answer = { kind: 'stale', revision: 2 };
    user.press('a');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: `new\n${NEW}` }]]);
    await user.settle();
    reviews[0]?.refresh({ base: 'conflict' });
    user.press('a');
    expect(user.notice).toBe('Press again to accept: these lines have changed; accepting undoes that change');
    expect(user.notice.length).toBeLessThanOrEqual(80);
    user.press('r');
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'rejected' });
  });

  it('arrows go from one proposal to the other, and stop at the ends', () => {
    const { user, view } = setUp('one', 'two');
    user.press('left');
    expect(view.current?.id).toBe('one');
    user.press('right', 'right');
    expect(view.current?.id).toBe('two');
  });

  describe('notes', () => {
    it('stand below their lines, and go with the decision', async () => {
      const { user, decisions } = setUp('one');
      user.press('i', 'not like this', 'I', 'and test it', 'j', 'j', 'i', 'this one', 'H', 'why these');
      expect(user.rows.slice(0, 10).map((row) => row.replace(/ *[│┃]$/, ''))).toEqual([
        '/w/one (proposed by an agent)',
        'hunk 1 of 2, +2 -2, 4 notes',
        '           »and test it',
        '      1  1  line 0',
        '      2  2  line 1',
        '▌1 ?  3    -line 2',
        '▌          »not like this',
        '>        3 +LINE 2',
        '▌          »this one',
        '▌          »why these',
      ]);
      const notes = [
        { text: 'not like this', lines: { side: 'old', first: 2, count: 1 } },
        { text: 'and test it' },
        { text: 'this one', lines: { side: 'new', first: 2, count: 1 } },
        { text: 'why these', lines: { side: 'new', first: 2, count: 1 } },
      ];
      user.press('n', 'r');
      expect(decisions()).toEqual([[{ kind: 'rejected', notes }]]);
      await user.settle();
      expect(user.notice).toBe('/w/one: rejected; an agent reads your 4 notes');
    });

    it('d removes the one at the cursor, and an empty one is none', () => {
      const { user, view } = setUp('one');
      user.press('i', '  ', 'i', 'mine', 'd');
      expect(user.notice).toBe('There is no note of yours at the cursor.');
      user.press('j', 'd');
      expect(view.current?.notes).toEqual([]);
    });

    it.each([
      ['words', 'an agent reads your note'],
      ['mention', 'an agent gets the lines of your note, not the words: say it in its prompt; hawser log has them'],
      ['none', 'an agent has no way to get your note: say it in its prompt; hawser log has them'],
    ] as const)('C asks for changes, with what %s say of them', async (noteDelivery, said) => {
      const user = new ReviewingView();
      const [review] = user.add({ id: 'one', oldText: OLD, newText: NEW, noteDelivery });
      user.press('C', ' ');
      expect([user.notice, review?.decisions]).toEqual(['Not sent: say what should change, or r rejects it.', []]);
      user.press('y', 'C', 'use a loop');
      await user.settle();
      const marks = ['accepted', 'undecided'];
      expect(review?.decisions).toEqual([{ kind: 'changesRequested', notes: [{ text: 'use a loop' }], marks }]);
      expect(user.notice).toBe(`/w/one: changes requested; ${said}`);
    });

    it('a hunk that was split is decided if all its parts are decided alike', () => {
      const user = new ReviewingView();
      const [review] = user.add({ id: 'one', oldText: 'a\nb\nz\n', newText: 'A\nB\nz\n' });
      user.press('s', 'y', 'n', 'C', 'no');
      expect(review?.decisions).toMatchObject([{ marks: ['undecided'] }]);
    });
  });

  describe('a later round', () => {
    const AGAIN = NEW.replace('LINE 17\n', 'Line Seventeen\n').replace('line 5\n', 'LINE 5\n');
    const again = () => {
      const user = new ReviewingView();
      const notes = [
        { text: 'spell it out', lines: { side: 'new', first: 17, count: 1 } },
        { text: 'tests?' },
      ] as const;
      const previous = { round: 1, oldText: OLD, newText: NEW, notes, marks: ['rejected', 'undecided'] as const };
      const [review] = user.add({ id: 'one', oldText: OLD, newText: AGAIN, previous });
      return { user, review, rows: () => user.rows.map((row) => row.replace(/ *[│┃]$/, '')) };
    };

    it('shows what is new since the round before, with its notes, and w the whole change', () => {
      const { user, rows } = again();
      expect(rows().slice(0, 3)).toEqual([
        '/w/one (proposed by an agent, round 2)',
        'hunk 1 of 2, +2 -2 since round 1, 0 accepted, 1 rejected, 2 undecided',
        '           »round 1: tests?',
      ]);
      expect(rows()).not.toContain('      3    -line 2');
      user.press('tab');
      expect(rows()).toContain('▌          »round 1: spell it out');
      user.press('w');
      expect(rows().slice(1, 4)).toEqual([
        'hunk 1 of 3, +3 -3, 0 accepted, 1 rejected, 2 undecided',
        '           »round 1: spell it out (line 18 then)',
        '           »round 1: tests?',
      ]);
    });

    it('leaves what was decided decided: y and n are about what is new', () => {
      const { user, review } = again();
      user.press('y', 'y', 'enter');
      const text = AGAIN.replace('LINE 2\n', 'line 2\n');
      expect(review?.decisions).toEqual([{ kind: 'accepted', text }]);
    });

    it('says what y and n can’t decide there', () => {
      const user = new ReviewingView();
      const previous = { round: 1, oldText: OLD, newText: NEW, notes: [], marks: [] };
      user.add({ id: 'one', oldText: OLD, newText: ONLY_SECOND, previous });
      user.press('y');
      expect(user.notice).toBe('These lines are as they are in the file now; w shows the whole change.');
      user.press('s');
      expect(user.notice).toBe('It can’t be split here. w shows the whole change, where it can.');
      user.press('w', 'w', 'w', 'y', 'enter');
      expect(user.view.current?.undecided).toBe(0);
    });
  });

  describe('the files of one turn', () => {
    it('are counted together, o goes to the next that is not decided, and A decides them', async () => {
      const user = new ReviewingView();
      const reviews = user.add(
        { id: 'one', turn: 1 },
        { id: 'two', arrival: 1, turn: 1 },
        { id: 'three', arrival: 2, turn: 2 },
        { id: 'two-again', path: '/w/two', arrival: 3, turn: 1 },
      );
      user.press('a');
      await user.settle();
      expect(user.rows).toContain('/w/two (proposed by an agent, 1 of 3 decided)');
      user.press('A');
      expect(user.notice).toBe(
        'Accept: f the 2 of this file, t the 2 of this turn, y all 3 changes of an agent; any other key goes back.',
      );
      user.press('t');
      await user.settle();
      expect(reviews.map(({ decisions }) => decisions.length)).toEqual([1, 1, 0, 1]);
      expect(user.rows).toContain('/w/three (proposed by an agent)');
      user.press('o');
      expect(user.notice).toBe('No other change waits for you.');
    });

    it('of a set stay listed until all are decided', async () => {
      const user = new ReviewingView({ columns: 130 });
      const set = { id: 's', title: 'Rename', size: 2 };
      const [first] = user.add(
        { id: 'one', set: { ...set, index: 0 } },
        { id: 'two', arrival: 1, set: { ...set, index: 1 } },
      );
      if (first !== undefined) first.answer = { kind: 'waiting', decided: 1, size: 2 };
      user.press('a');
      await user.settle();
      first?.refresh({ revision: 0, progress: { kind: 'decided', decision: 'accepted', by: 'terminal' } });
      expect(user.view.current?.id).toBe('two');
      expect(user.rows.slice(0, 3).map((row) => row.slice(0, 24).trimEnd())).toEqual([
        'Rename 1/2',
        '  ✓ /w/one',
        '> M /w/two',
      ]);
      user.press('h');
      expect(user.rows.join('\n')).toContain('You accept it: that takes effect when the rest of its set is decided.');
    });
  });

  it('what could not be written is shown with the reason, and marks stay; what was typed elsewhere is the user’s version', () => {
    const { user, view, reviews } = setUp('one', 'two');
    const progress = { kind: 'failed', reason: 'The disk is full', text: 'typed\n' } as const;
    user.press('n');
    for (const review of reviews) review.refresh({ revision: 0, progress });
    expect(user.rows).toContain('Not written: The disk is full');
    expect([view.current?.mark(0), view.current?.edited]).toEqual(['no', undefined]);
    user.press('l');
    expect(view.current?.edited).toBe('typed\n');
  });

  it('an edited version goes with a rejection, to be kept', async () => {
    const { user, decisions } = setUp('one');
    user.editText = () => 'mine\n';
    user.press('e');
    await user.settle();
    user.press('r');
    expect(decisions()).toEqual([[{ kind: 'rejected', text: 'mine\n' }]]);
  });
});
