import { describe, expect, it } from 'vitest';
import { BOLD } from './fit-row.ts';
import type { Key } from './keys.ts';
import { ListCursor } from './list-cursor.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function listOf(count: number) {
  const cursor = new ListCursor<number>();
  cursor.items = numbers(count);
  /** The numbers on a screen of ten rows: the first and the last of them. */
  const window = () => {
    const shown: number[] = [];
    cursor.draw(10, (item) => {
      shown.push(item);
      return [];
    });
    return [shown[0], shown.at(-1)];
  };
  const click = (row: number) => cursor.mouse({ kind: 'click', row, column: 0 });
  return { cursor, window, click };
}

describe('ListCursor', () => {
  it('keeps the chosen row on the screen, and shows no more than there is', () => {
    const { cursor, window } = listOf(100);
    expect(window()).toEqual([0, 9]);
    cursor.move('page down');
    cursor.move('j');
    expect([cursor.chosen, window()]).toEqual([10, [1, 10]]);
    cursor.move('G');
    expect([cursor.chosen, window()]).toEqual([99, [90, 99]]);
    cursor.move('k');
    expect(window()).toEqual([90, 99]);
    cursor.move('g');
    expect([cursor.chosen, window()]).toEqual([0, [0, 9]]);
  });

  it('draws the chosen row as chosen', () => {
    const { cursor } = listOf(3);
    cursor.move('down');
    expect(cursor.draw(10, (item, isChosen) => [{ text: `${item} ${isChosen}` }])).toEqual(
      ['0 false', '1 true', '2 false'].map((text) => [{ text }]),
    );
  });

  it('draws a list with the chosen row in reverse, and no row wider than the screen', () => {
    const { cursor } = listOf(3);
    cursor.move('down');
    const spansOf = (item: number) => [{ text: item === 2 ? 'too long' : `${item}`, style: BOLD }];
    const style = { isReversed: true };
    expect(cursor.drawList({ columns: 6, rows: 10 }, spansOf)).toEqual([
      [{ text: '  ' }, { text: '0', style: BOLD }],
      ['> ', '1', '   '].map((text) => ({ text, style })),
      [{ text: '  ' }, { text: 'too…', style: BOLD }],
    ]);
  });

  it('a list that became shorter has its last row chosen', () => {
    const { cursor, window } = listOf(100);
    window();
    cursor.move('G');
    cursor.items = numbers(3);
    expect([window(), cursor.chosen]).toEqual([[0, 2], 2]);
    cursor.items = [];
    expect([window(), cursor.chosen]).toEqual([[undefined, undefined], undefined]);
  });

  it('a click chooses the row that is there, below the title, and nothing below the list', () => {
    const { cursor, window, click } = listOf(3);
    window();
    expect([click(3), cursor.chosen, click(4), click(0), cursor.chosen]).toEqual([true, 2, false, false, 2]);
  });

  it('the wheel moves', () => {
    const { cursor } = listOf(3);
    expect(cursor.mouse({ kind: 'wheel', step: 1, row: 0, column: 0 })).toBe(false);
    expect(cursor.chosen).toBe(1);
  });

  it('a key that does not move is left to the view', () => {
    expect(listOf(3).cursor.move('x' as Key)).toBe(false);
  });
});
