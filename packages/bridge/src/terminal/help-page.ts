import { clip, widthOf, wrapWords } from '@hawser/terminal-text/wrapping';
import { BOLD } from './fit-row.ts';
import type { Key } from './keys.ts';
import { stepOf } from './list-cursor.ts';
import type { Row } from './paint.ts';
import type { Size } from './terminal.ts';
import type { KeyHelp } from './view.ts';

const GAP = 2;

/** The keys of a view, which scroll if they need more rows than there are. */
export class HelpPage {
  readonly #title: string;
  readonly #view: readonly KeyHelp[];
  readonly #frame: readonly KeyHelp[];
  #first = 0;
  #length = 0;
  #room = 0;

  constructor(title: string, view: readonly KeyHelp[], frame: readonly KeyHelp[]) {
    this.#title = title;
    this.#view = view;
    this.#frame = frame;
  }

  get hint(): string {
    return `${this.#length > this.#room ? 'j k Space scroll, ' : ''}any other key closes the help`;
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const all = helpRows(this.#title, this.#view, this.#frame, columns);
    this.#length = all.length;
    this.#room = rows;
    this.#first = Math.max(0, Math.min(this.#first, all.length - rows));
    return all.slice(this.#first, this.#first + rows);
  }

  key(key: Key): 'handled' | 'unknown' {
    const step = stepOf(key, this.#room);
    if (step === undefined) return 'unknown';
    this.#first = Math.max(0, Math.min(this.#first + step, this.#length - this.#room));
    return 'handled';
  }
}

/** The keys of a view and those of the frame. Nothing is cut: what does not fit goes on in the next row. */
function helpRows(title: string, view: readonly KeyHelp[], frame: readonly KeyHelp[], columns: number): Row[] {
  const most = Math.max(8, Math.floor(columns / 3));
  const keysWidth = Math.min(most, Math.max(...[...view, ...frame].map(({ keys }) => widthOf(keys))));
  const rowsOf = ({ keys, does }: KeyHelp): Row[] => {
    const room = Math.max(8, columns - keysWidth - 2 * GAP);
    const [left, right] = [wrapWords(keys, keysWidth), wrapWords(does, room)];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
      const name = left[row] ?? '';
      const padding = ' '.repeat(Math.max(0, keysWidth - widthOf(name)) + GAP);
      return [{ text: ' '.repeat(GAP) }, { text: name, style: BOLD }, { text: `${padding}${right[row] ?? ''}` }];
    });
  };
  return [
    [{ text: clip(title, columns), style: BOLD }],
    ...view.flatMap(rowsOf),
    [],
    [{ text: clip('Everywhere', columns), style: BOLD }],
    ...frame.flatMap(rowsOf),
  ];
}
