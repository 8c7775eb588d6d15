import { clipStart, escaped, widthOf } from '@hawser/terminal-text/wrapping';
import type { Key } from './keys.ts';
import type { Row } from './paint.ts';

/** Longer than any line that a user types. */
const MAX_CHARACTERS = 1000;

/** A line that the user types. Keys that it has no use for are left to its owner. */
export class TextField {
  readonly #label: string;
  #before: string;
  #after = '';

  /** `label` stands before the text. */
  constructor(label: string, text = '') {
    this.#label = label;
    this.#before = text;
  }

  get text(): string {
    return this.#before + this.#after;
  }

  key(key: Key): 'handled' | 'unknown' {
    const [before, after] = [[...this.#before], [...this.#after]];
    if (key === 'backspace') this.#set(before.slice(0, -1), after);
    else if (key === 'delete') this.#set(before, after.slice(1));
    else if (key === 'left') this.#set(before.slice(0, -1), [...before.slice(-1), ...after]);
    else if (key === 'right') this.#set([...before, ...after.slice(0, 1)], after.slice(1));
    else if (key === 'home' || key === 'ctrl a') this.#set([], [...before, ...after]);
    else if (key === 'end' || key === 'ctrl e') this.#set([...before, ...after], []);
    else if (key === 'ctrl u') this.#set([], after);
    else if (key === 'ctrl w') this.#set([...this.#before.replace(/\S*\s*$/u, '')], after);
    else if ([...key].length === 1) this.paste(key);
    else return 'unknown';
    return 'handled';
  }

  /** Line ends become spaces. */
  paste(text: string): void {
    const room = MAX_CHARACTERS - [...this.text].length;
    this.#before += [...text.replace(/[\r\n\t]+/g, ' ')].slice(0, Math.max(0, room)).join('');
  }

  /** The label, the text, and the cursor in reverse. */
  row(columns: number): Row {
    const [, under = ' ', rest = ''] = /^(.)?(.*)$/su.exec(escaped(this.#after)) ?? [];
    const before = clipStart(`${this.#label}${this.#before}`, Math.max(1, columns - 1));
    const room = columns - widthOf(before) - widthOf(under);
    return [
      { text: before },
      { text: under, style: { isReversed: true } },
      { text: [...rest].slice(0, Math.max(0, room)).join('') },
    ];
  }

  #set(before: readonly string[], after: readonly string[]): void {
    this.#before = before.join('');
    this.#after = after.join('');
  }
}
