import { describe, expect, it } from 'vitest';
import { enclosingLine } from './enclosing.ts';
import { linesOf } from './lines.ts';

/** What encloses the line with `HERE`; lines from `BEFORE` on don't count. */
function enclosing(text: string, isMarkdown = false): string | undefined {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes('HERE'));
  const before = lines.findIndex((each) => each.includes('BEFORE'));
  return enclosingLine({ text, lines: linesOf(text) }, line, { isMarkdown, ...(before !== -1 && { before }) });
}

describe('enclosingLine', () => {
  it.each([
    ['a method', 'export class Cart {\n  add(item: Item): void {\n    HERE\n  }\n}', 'add(item: Item): void'],
    ['a getter', 'class A {\n  get total(): number {\n    if (x) {\n      HERE', 'get total(): number'],
    ['an arrow function', 'export const add = (a, b) => {\n  for (;;) {\n    HERE', 'export const add = (a, b)'],
    [
      'parameters on lines of their own',
      'export function f(\n  a: number,\n): string {\n  const x = 1;\n  HERE',
      'export function f',
    ],
    ['an else', 'fn main() {\n    if a {\n        x\n    } else {\n        HERE', 'fn main()'],
    ['Python', 'class A:\n    def f(self):\n        with x:\n            HERE', 'def f(self)'],
    ['Go', 'func (c *Cart) Add(i Item) {\n\tif i == nil {\n\t\tHERE', 'func (c *Cart) Add(i Item)'],
    ['C', 'static int add(int a, int b)\n{\n    HERE', 'static int add(int a, int b)'],
    ['Lisp', '(defun add (a b)\n  (let ((c 1))\n    HERE))', '(defun add (a b)'],
    ['a test', "describe('a', () => {\n  it('does', async () => {\n    HERE", "it('does', async ()"],
    ['a comment between', 'function f() {\n// out of line\n  HERE', 'function f()'],
    ['an empty line', 'function f() {\n\n  // HERE\n\n  x', 'function f()'],
    ['an object', 'const table = {\n  one: {\n    HERE', 'const table ='],
    ['the last brace of a method', 'class A {\n  f() {\n    x\n  } // HERE', 'f()'],
  ])('finds the function in %s', (_, text, found) => {
    expect(enclosing(text)).toBe(found);
  });

  it.each([
    ['code at the top', 'import a;\nHERE'],
    ['an empty text', 'HERE'],
    ['a very long line', `${'x'.repeat(20_000)}(\nHERE`],
  ])('nothing encloses %s', (_, text) => {
    expect(enclosing(text)).toBeUndefined();
  });

  it('what is on the screen anyway does not count', () => {
    expect(enclosing('class Cart {\n  a: 1;\n  f() { // BEFORE\n    HERE')).toBe('class Cart');
  });

  it('in Markdown it is the heading', () => {
    expect(enclosing('# One\n\ntext\n\n## Two\n\n- a\n  - HERE', true)).toBe('## Two');
    expect(enclosing('HERE', true)).toBeUndefined();
  });
});
