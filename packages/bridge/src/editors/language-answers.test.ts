import { describe, expect, it } from 'vitest';
import {
  codeActionsIn,
  diagnosticsIn,
  documentSymbolsIn,
  editsIn,
  hoverIn,
  locationsIn,
  workspaceSymbolsIn,
} from './language-answers.ts';

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const edit = { range, newText: 'x' };

describe('the answers of language servers', () => {
  it.each([
    ['one location', { uri: 'file:///a.ts', range }],
    ['a list of locations', [{ uri: 'file:///a.ts', range }]],
    ['a list of links', [{ targetUri: 'file:///a.ts', targetRange: range, targetSelectionRange: range }]],
  ])('%s is a location', (_, answer) => {
    expect(locationsIn(answer)).toEqual([{ path: '/a.ts', range }]);
  });

  it('null, what is no file and what has no range are no locations', () => {
    expect(locationsIn(null)).toEqual([]);
    expect(locationsIn([{ uri: 'zipfile:///a.ts', range }, { uri: 'file:///a.ts' }, 7])).toEqual([]);
  });

  it.each([
    ['markup', { contents: { kind: 'markdown', value: 'words' } }, 'words'],
    ['a marked string', { contents: { language: 'ts', value: 'let a' } }, '```ts\nlet a\n```'],
    ['a list', { contents: ['one', { language: 'ts', value: 'two' }] }, 'one\n\n```ts\ntwo\n```'],
    ['an empty text', { contents: { kind: 'plaintext', value: ' ' } }, undefined],
    ['null', null, undefined],
  ])('the hover text of %s', (_, answer, text) => {
    expect(hoverIn(answer)?.text).toBe(text);
  });

  it('symbols come as a tree or as a flat list with locations', () => {
    const tree = [{ name: 'A', kind: 5, range, selectionRange: range, children: [{ name: 'b', kind: 8, range }] }];
    expect(documentSymbolsIn(tree)).toMatchObject([{ name: 'A', children: [{ name: 'b', selectionRange: range }] }]);
    const flat = [{ name: 'A', kind: 5, location: { uri: 'file:///a.ts', range }, containerName: 'm' }];
    expect(workspaceSymbolsIn(flat)).toMatchObject([
      { name: 'A', location: { path: '/a.ts', range }, containerName: 'm' },
    ]);
    expect(documentSymbolsIn(flat)).toMatchObject([{ name: 'A', range, selectionRange: range }]);
  });

  it('edits come by file or as document changes', () => {
    const expected = [{ path: '/a.ts', edits: [edit] }];
    expect(editsIn({ changes: { 'file:///a.ts': [edit] } })).toEqual(expected);
    expect(
      editsIn({ documentChanges: [{ textDocument: { uri: 'file:///a.ts', version: 1 }, edits: [edit] }] }),
    ).toEqual(expected);
    expect(editsIn(null)).toEqual([]);
  });

  it('a change that creates a file, or edits what is no file, is more than edits of text', () => {
    expect(editsIn({ documentChanges: [{ kind: 'create', uri: 'file:///b.ts' }] })).toBeUndefined();
    expect(editsIn({ changes: { 'untitled:1': [edit] } })).toBeUndefined();
  });

  it('code actions without an edit, with a command or disabled are left out', () => {
    const whole = { title: 'Fix', kind: 'quickfix', isPreferred: true, edit: { changes: { 'file:///a.ts': [edit] } } };
    const command = { title: 'Run', command: 'server.run' };
    const withCommand = { ...whole, command: { title: 'then', command: 'server.run' } };
    const disabled = { ...whole, disabled: { reason: 'not here' } };
    expect(codeActionsIn([whole, command, withCommand, disabled])).toEqual([
      { title: 'Fix', kind: 'quickfix', isPreferred: true, edits: [{ path: '/a.ts', edits: [edit] }] },
    ]);
  });

  it('diagnostics keep what we use of them, and those without a range or message are left out', () => {
    const whole = { range, message: 'odd', severity: 2, code: 7, source: 'ts', tags: [1], data: {} };
    expect(diagnosticsIn([whole, { range }, { message: 'nowhere' }, null])).toEqual([
      { range, message: 'odd', severity: 'warning', code: 7, source: 'ts' },
    ]);
    expect(diagnosticsIn([{ range, message: { kind: 'markdown', value: 'marked' } }])).toEqual([
      { range, message: 'marked', severity: 'error' },
    ]);
    expect(diagnosticsIn('nothing')).toEqual([]);
  });
});
