import { describe, expect, it } from 'vitest';
import { KeyReader } from './keys.ts';

function reader(): { keys: string[]; replies: string[]; reader: KeyReader; next: () => Promise<void> } {
  const [keys, replies]: [string[], string[]] = [[], []];
  let wake = () => {};
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const received = (input: string) => {
    keys.push(input);
    wake();
  };
  const made = new KeyReader({
    key: received,
    paste: (text) => received(`pasted ${JSON.stringify(text)}`),
    mouse: ({ kind, row, column }) => received(`${kind} ${row} ${column}`),
    reply: (sequence) => void replies.push(sequence),
  });
  return { keys, replies, reader: made, next };
}

describe('KeyReader', () => {
  it('knows characters and keys that have none, several at once', () => {
    const { keys, reader: made } = reader();
    made.push('ay\x1b[A\x1bOB\x1b[5~\x1b[Z\t\r\x03');
    expect(keys).toEqual(['a', 'y', 'up', 'down', 'page up', 'shift tab', 'tab', 'enter', 'ctrl c']);
  });

  it('puts a sequence together that comes in parts', () => {
    const { keys, reader: made } = reader();
    for (const part of ['\x1b', '[', '6', '~a']) made.push(part);
    expect(keys).toEqual(['page down', 'a']);
  });

  it('an escape of its own is a key when nothing follows', async () => {
    const { keys, reader: made, next } = reader();
    const pressed = next();
    made.push('\x1b');
    expect(keys).toEqual([]);
    await pressed;
    expect(keys).toEqual(['escape']);
  });

  it('what is pasted is one text, however it is cut, and not read as keys', () => {
    const { keys, reader: made } = reader();
    const pasted = 'y\x1b[200~aa\nr\x1b[A\x1b[201~n';
    for (const character of pasted) made.push(character);
    made.push(pasted);
    const expected = ['y', 'pasted "aa\\nr\\u001b[A"', 'n'];
    expect(keys).toEqual([...expected, ...expected]);
  });

  it('keeps 64 KB of what is pasted', () => {
    const { keys, reader: made } = reader();
    made.push('\x1b[200~');
    for (let part = 0; part < 100; part += 1) made.push('x'.repeat(10_000));
    made.push('\x1b[201~n');
    expect(keys).toEqual([`pasted "${'x'.repeat(65_536)}"`, 'n']);
  });

  it('reads clicks and the wheel, counted from 0, and passes over releases and other buttons', () => {
    const { keys, reader: made } = reader();
    made.push('\x1b[<0;1;1M\x1b[<0;1;1m\x1b[<2;5;5M\x1b[<65;300;7M');
    expect(keys).toEqual(['click 0 0', 'wheel 6 299']);
  });

  it('what the terminal answers to a question is no key, however it is cut', () => {
    const { keys, replies, reader: made } = reader();
    const [string, bell, attributes] = ['\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\', '\x1b]11;rgb:f/f/f\x07', '\x1b[?62;22c'];
    for (const character of `a${string}y${bell}${attributes}n`) made.push(character);
    expect(keys).toEqual(['a', 'y', 'n']);
    expect(replies).toEqual([string, bell, attributes]);
  });

  it('a bracket with Alt is no answer, and the keys after it count', () => {
    const { keys, replies, reader: made } = reader();
    for (const input of ['\x1b]', 'j', '\x1b]1', 'y', `\x1b]11;${'x'.repeat(200)}`]) made.push(input);
    expect(keys.slice(0, 6)).toEqual(['j', '1', 'y', '1', '1', ';']);
    expect(replies).toEqual(['\x1b]', '\x1b]', '\x1b]']);
  });

  it('passes over sequences it does not know, and characters with Alt', () => {
    const { keys, reader: made } = reader();
    made.push('\x1b[1;5C\x1bay\x1b[15~漢\x00\x17n\x7f');
    expect(keys).toEqual(['y', '漢', 'ctrl w', 'n', 'backspace']);
  });
});
