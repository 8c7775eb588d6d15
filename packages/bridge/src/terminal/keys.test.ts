import { describe, expect, it } from 'vitest';
import { KeyReader } from './keys.ts';

function reader(): { keys: string[]; reader: KeyReader; next: () => Promise<void> } {
  const keys: string[] = [];
  let wake = () => {};
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const made = new KeyReader((key) => {
    keys.push(key);
    wake();
  });
  return { keys, reader: made, next };
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

  it('passes over what is pasted, however it is cut', () => {
    const { keys, reader: made } = reader();
    const pasted = 'y\x1b[200~aaaa\nrrr\x1b[A\x1b[201~n';
    for (const character of pasted) made.push(character);
    made.push(pasted);
    expect(keys).toEqual(['y', 'n', 'y', 'n']);
  });

  it('passes over sequences it does not know, and characters with Alt', () => {
    const { keys, reader: made } = reader();
    made.push('\x1b[<0;1;1M\x1b[1;5C\x1bay\x1b[15~漢\x00n');
    expect(keys).toEqual(['y', 'n']);
  });
});
