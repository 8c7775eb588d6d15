import { expect, it } from 'vitest';
import { tableLines } from './table.ts';
import { widthOf } from './wrapping.ts';

const rows = [
  ['NAME', 'ARGUMENTS', 'DESCRIPTION'],
  ['read_file', 'path tail? head?', 'Reads the complete contents of a file as text,\n  with its encoding'],
  ['x', '', '日本語の説明'],
];

it('without a width nothing is left out, and each row is a line', () => {
  expect(tableLines(rows, undefined)).toEqual([
    'NAME       ARGUMENTS         DESCRIPTION',
    'read_file  path tail? head?  Reads the complete contents of a file as text, with its encoding',
    'x                            日本語の説明',
  ]);
});

it('with a width the last column is clipped first', () => {
  const lines = tableLines(rows, 60);
  expect(lines[1]).toBe('read_file  path tail? head?  Reads the complete contents of…');
});

it('with a small width the first column, which names the row, is clipped last', () => {
  const narrow = tableLines([['a-name-of-24-characters--', 'b'.repeat(30), 'c'.repeat(90)]], 60);
  expect(narrow[0]).toMatch(/^a-name-of-24-characters-- {2}b+… {2}c+…$/);
});

it.each([20, 33, 40, 60, 80])('no line is wider than a terminal of %i columns', (columns) => {
  const wide = [['a'.repeat(50), 'b'.repeat(70), 'c'.repeat(90)], ...rows];
  // Three columns of eight and their gaps are the least.
  for (const line of tableLines(wide, columns)) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(columns, 28));
});

it('what a terminal would obey is escaped', () => {
  expect(tableLines([['\x1b[2J', 'a\u202eb']], undefined)).toEqual(['^[[2J  a<202E>b']);
});
