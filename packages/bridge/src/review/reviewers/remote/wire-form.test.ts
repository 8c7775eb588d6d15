import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restored, wireForm } from './wire-form.ts';

const line = fc.constantFrom('a', 'b\r', '', '\ufeff', 'ä😀');
const end = fc.constantFrom('\n', '\r\n', '\r\r\n', '\r', '');
const anyText = fc.array(fc.tuple(line, end).map(([text, ending]) => text + ending)).map((lines) => lines.join(''));

describe('the texts of a proposal on the wire', () => {
  it('are the same as in the file once they are restored, whatever their line ends', () => {
    fc.assert(
      fc.property(fc.option(anyText, { nil: undefined }), anyText, (oldText, newText) => {
        const form = wireForm(oldText, newText);
        expect(restored(form.newText, form)).toBe(newText);
        if (oldText !== undefined) expect(restored(form.oldText, form)).toBe(oldText);
      }),
    );
  });

  it.each([
    ['CRLF in both', 'a\r\n', 'b\r\nc', { lineEnd: '\r\n', hasBom: false, oldText: 'a\n', newText: 'b\nc' }],
    ['CRLF in one', 'a\n', 'a\r\n', { lineEnd: '\n', hasBom: false, oldText: 'a\n', newText: 'a\r\n' }],
    ['a mark in both', '\ufeffa', '\ufeffb', { lineEnd: '\n', hasBom: true, oldText: 'a', newText: 'b' }],
    ['a mark that goes', '\ufeffa', 'b', { lineEnd: '\n', hasBom: false, oldText: '\ufeffa', newText: 'b' }],
    ['a new file', undefined, '\ufeffb\r\n', { lineEnd: '\r\n', hasBom: true, oldText: '', newText: 'b\n' }],
  ] as const)('lose what they have in common: %s', (_, oldText, newText, form) => {
    expect(wireForm(oldText, newText)).toEqual(form);
  });
});
