import { Wrapping } from '@hawser/terminal-text/wrapping';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ReviewingView } from '../../../../testing/reviewing-view.ts';

describe('What is on the screen', () => {
  it('the next hunk is on the screen, whole if there is room, before a key can decide it', () => {
    const user = new ReviewingView({ columns: 80, rows: 14 });
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
    const newText = lines
      .flatMap((line, index) => (index % 10 === 5 ? [line, 'A\n', 'B\n', 'C\n', 'D\n'] : [line]))
      .join('');
    user.add({ id: 'one', oldText: lines.join(''), newText });
    for (const [hunk, key] of ['y', 'n', 'y'].entries()) {
      const rows = user.rows;
      const start = rows.findIndex((row) => row.startsWith(`>${hunk + 1} ? `));
      const shown = rows.slice(start, start + 4).map((row) => /\+\w/.exec(row)?.[0]);
      expect(shown).toEqual(['+A', '+B', '+C', '+D']);
      user.press(key);
    }
    expect(user.view.message).toContain('All hunks decided, 2 of 3 accepted');
  });

  it('a key never decides a hunk that is not on the screen: it shows it first', () => {
    const user = new ReviewingView({ columns: 80, rows: 8 });
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
    user.add({ id: 'one', oldText: lines.join(''), newText: lines.join('').replace('line 90\n', 'x\n') });
    user.press('+', '+', '+', '+', 'g', 'y');
    expect(user.notice).toBe('Hunk 1 was not on the screen; look at it, then decide.');
    expect(user.view.current?.undecided).toBe(1);
    expect(user.rows.some((row) => row.startsWith('>1 ? '))).toBe(true);
    user.press('y');
    expect(user.view.current?.undecided).toBe(0);
  });

  it('a hunk longer than the screen is accepted by a second y, or once all of it was on the screen', () => {
    const user = new ReviewingView({ columns: 80, rows: 12 });
    const newText = Array.from({ length: 25 }, (_, index) => `line ${index}\n`).join('');
    user.add({ id: 'one', oldText: undefined, newText }, { id: 'two', arrival: 1, oldText: undefined, newText });
    user.press('y');
    expect(user.notice).toBe('17 lines of hunk 1 are not seen yet: Space shows more, y again accepts them.');
    expect(user.view.current?.undecided).toBe(1);
    user.press('y');
    expect(user.view.current?.undecided).toBe(0);
    user.press('right', ' ', ' ', ' ', ' ', 'y');
    expect(user.view.current?.undecided).toBe(0);
    user.press('U', 'n');
    expect(user.view.current?.undecided).toBe(0);
  });

  it('Space and b pass no line over', () => {
    const user = new ReviewingView({ columns: 80, rows: 12 });
    const newText = Array.from({ length: 60 }, (_, index) => `line ${index}.\n`).join('');
    user.add({ id: 'one', oldText: undefined, newText });
    for (const keys of [Array(10).fill(' '), ['G', ...Array(10).fill('b')]]) {
      const seen = new Set<string>();
      for (const key of keys) {
        for (const row of user.rows) seen.add(/line \d+\./.exec(row)?.[0] ?? '');
        user.press(key);
      }
      expect(seen.size).toBe(60 + 1);
    }
  });

  it('a second y counts for the hunk that the first one was for', () => {
    const { user } = twoLongHunks();
    user.press('y', ']', 'y');
    expect(user.notice).toMatch(/^\d+ lines of hunk 2 are not seen yet/);
    expect(user.view.current?.undecided).toBe(2);
    user.press('y');
    expect([user.view.current?.mark(0), user.view.current?.mark(1)]).toEqual([undefined, 'yes']);
  });

  it('what was jumped over has not been seen', () => {
    const { user } = twoLongHunks();
    user.press('G', 'g', ']', '[', 'y');
    expect(user.notice).toMatch(/^\d+ lines of hunk 1 are not seen yet/);
    user.press(' ', ' ', ' ', ' ', '[', ']', '[', 'y');
    expect(user.view.current?.mark(0)).toBe('yes');
  });

  it('a line that goes on below the screen has not been seen', () => {
    const user = new ReviewingView({ columns: 40, rows: 10 });
    user.add({ id: 'one', oldText: 'a\n', newText: `${'word '.repeat(200)}\n` });
    user.press('y');
    expect(user.notice).toBe('1 line of hunk 1 is not seen yet: Space shows more, y again accepts it.');
    user.press(' ', ' ', ' ', ' ', ' ', 'y');
    expect(user.view.current?.undecided).toBe(0);
  });

  it('a line that is longer than the screen is not wrapped to its end', () => {
    const wrapAll = vi.spyOn(Wrapping.prototype, 'all');
    onTestFinished(() => wrapAll.mockRestore());
    const user = new ReviewingView({ columns: 40, rows: 10 });
    user.add({ id: 'one', oldText: 'a\n', newText: `${'word '.repeat(200)}\n` });
    expect(user.rows.at(-1)).toContain('word');
    expect(wrapAll).not.toHaveBeenCalled();
  });
});

function twoLongHunks() {
  const user = new ReviewingView({ columns: 80, rows: 12 });
  const added = Array.from({ length: 25 }, (_, index) => `added ${index}\n`).join('');
  const same = Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join('');
  user.add({ id: 'one', oldText: same, newText: `${added}${same}${added}` });
  return { user };
}
