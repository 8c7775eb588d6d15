import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts } from '../testing/texts.ts';
import { hunksOf } from './hunks.ts';
import { type RenderedLine, renderHunks } from './render-hunks.ts';

const signs = { context: ' ', removed: '-', added: '+' };
const plain = (line: RenderedLine) => (line.kind === 'header' ? line.text : signs[line.kind] + line.text);
const render = (oldText: string, newText: string, contextLines?: number) =>
  renderHunks(oldText, hunksOf(oldText, newText), contextLines === undefined ? {} : { contextLines });

const tenLines = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';

describe('renderHunks', () => {
  it('shows a change with three lines around it', () => {
    expect(render(tenLines, tenLines.replace('5', 'five')).map(plain)).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  it('hunks whose context touches share a header, others have their own', () => {
    const newText = tenLines.replace('2', 'two').replace('7', 'seven');
    expect(render(tenLines, newText, 2).filter(({ kind }) => kind === 'header')).toHaveLength(1);
    expect(render(tenLines, newText, 1).filter(({ kind }) => kind === 'header')).toHaveLength(2);
    expect(render(tenLines, newText, 0).map(plain)).toEqual([
      '@@ -2 +2 @@',
      '-2',
      '+two',
      '@@ -7 +7 @@',
      '-7',
      '+seven',
    ]);
  });

  it('each changed line names its hunk, its number and its line end', () => {
    expect(render('a\r\nb', 'a\r\nc\n')).toEqual([
      {
        kind: 'header',
        text: '@@ -1,2 +1,2 @@',
        oldLines: { first: 0, count: 2 },
        newLines: { first: 0, count: 2 },
      },
      { kind: 'context', oldLine: 0, newLine: 0, text: 'a', lineEnd: '\r\n' },
      { kind: 'removed', oldLine: 1, hunk: 0, text: 'b', lineEnd: '' },
      { kind: 'added', newLine: 1, hunk: 0, text: 'c', lineEnd: '\n' },
    ]);
  });

  it('a new file and an emptied one begin at line 0, as in diff -u', () => {
    expect(render('', 'a\n').map(plain)).toEqual(['@@ -0,0 +1 @@', '+a']);
    expect(render('a\n', '').map(plain)).toEqual(['@@ -1 +0,0 @@', '-a']);
  });

  it('equal texts render as nothing', () => {
    expect(render('a', 'a')).toEqual([]);
  });

  it('as a patch it makes the new text', () => {
    fc.assert(
      fc.property(editedTexts, fc.nat(4), ([oldText, newText], contextLines) => {
        // The reference knows LF only, and other line separators of Unicode would be its own matter.
        fc.pre(!/\r/.test(oldText + newText) && oldText !== newText);
        const patch = render(oldText, newText, contextLines).map((line) => {
          if (line.kind === 'header') return line.text;
          return plain(line) + (line.lineEnd === '' ? '\n\\ No newline at end of file' : '');
        });
        expect(applyPatch(oldText, `--- a\n+++ a\n${patch.join('\n')}\n`)).toBe(newText);
      }),
      { numRuns: 300 },
    );
  });
});
