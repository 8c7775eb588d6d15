import { describe, expect, it } from 'vitest';
import { ListCursor } from './list-cursor.ts';

describe('ListCursor', () => {
  it('keeps the chosen row on the screen, and shows no more than there is', () => {
    const cursor = new ListCursor();
    expect(cursor.window(100, 10)).toEqual({ first: 0, end: 10 });
    cursor.move('page down', 100);
    cursor.move('j', 100);
    expect([cursor.at, cursor.window(100, 10)]).toEqual([10, { first: 1, end: 11 }]);
    cursor.move('G', 100);
    expect([cursor.at, cursor.window(100, 10)]).toEqual([99, { first: 90, end: 100 }]);
    cursor.move('k', 100);
    expect(cursor.window(100, 10)).toEqual({ first: 90, end: 100 });
    cursor.move('g', 100);
    expect([cursor.at, cursor.window(100, 10)]).toEqual([0, { first: 0, end: 10 }]);
  });

  it('a list that became shorter has its last row chosen', () => {
    const cursor = new ListCursor();
    cursor.window(100, 10);
    cursor.move('G', 100);
    expect([cursor.window(3, 10), cursor.at]).toEqual([{ first: 0, end: 3 }, 2]);
    expect([cursor.window(0, 10), cursor.at]).toEqual([{ first: 0, end: 0 }, 0]);
  });

  it('a click chooses the row that is there, and nothing below the list', () => {
    const cursor = new ListCursor();
    cursor.window(3, 10);
    expect([cursor.click(2, 3), cursor.at, cursor.click(3, 3), cursor.click(-1, 3), cursor.at]).toEqual([
      true,
      2,
      false,
      false,
      2,
    ]);
  });

  it('a key that does not move is left to the view', () => {
    expect(new ListCursor().move('x', 3)).toBe(false);
  });
});
