import { wrap } from '@hawser/terminal-text/wrapping';
import type { TrafficEntry } from '../../../traffic/traffic.ts';
import { BOLD, DIM, fitRow } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor } from '../../list-cursor.ts';
import type { Row, Span, Style } from '../../paint.ts';
import type { Size } from '../../terminal.ts';

const NAME: Style = { colour: 'cyan' };
const TEXT: Style = { colour: 'green' };
/** A name and the beginning of its value, as JSON writes them, one a line. */
const MEMBER = /^(\s*)("(?:[^"\\]|\\.)*")(: )(.*)$/s;

/** One message, as JSON with a value a line. */
export class MessagePage {
  readonly entry: TrafficEntry;
  readonly text: string;
  readonly #lines: readonly string[];
  readonly #cursor = new ListCursor<Row>();
  #columns = 0;

  constructor(entry: TrafficEntry) {
    this.entry = entry;
    this.text = JSON.stringify(entry.message, undefined, 2) ?? '';
    // A text of several lines is read more easily as several lines.
    this.#lines = this.text.split('\n').flatMap(withLineEnds);
  }

  key(key: Key): boolean {
    return this.#cursor.move(key);
  }

  draw({ columns, rows }: Size): readonly Row[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#cursor.items = this.#lines.flatMap((line) => rowsOf(line, columns - 1));
    }
    const { number, time, direction, kind, method = '?', adapter, client } = this.entry;
    const title: Span[] = [
      { text: `${number}  ${kind} ${method}`, style: BOLD },
      {
        text: `  ${direction === 'received' ? 'from' : 'to'} ${client.name} (${adapter})  ${new Date(time).toISOString()}`,
        style: DIM,
      },
    ];
    const list = this.#cursor.draw(rows - 1, (row, isChosen) => [{ text: isChosen ? '>' : ' ', style: BOLD }, ...row]);
    return [fitRow(title, columns), ...list];
  }
}

function withLineEnds(line: string): string[] {
  const [, indent = ''] = /^(\s*)/.exec(line) ?? [];
  const broken = line.replace(/\\(.)/g, (whole, character) => (character === 'n' ? '\n' : whole));
  const [first = '', ...more] = broken.split('\n');
  return [first, ...more.map((part) => `${indent}    ${part}`)];
}

function rowsOf(line: string, columns: number): Row[] {
  const [, indent, name, colon, value] = MEMBER.exec(line) ?? [];
  const rows = wrap(line, columns).map((pieces) => pieces.map(({ text }) => text).join(''));
  return rows.map((row, index): Row => {
    const isFirst = index === 0 && name !== undefined && row.startsWith(`${indent}${name}${colon}`);
    if (!isFirst) return [{ text: row, ...(/^\s*"/.test(line) && { style: TEXT }) }];
    const start = `${indent}${name}${colon}`.length;
    return [
      { text: row.slice(0, start), style: NAME },
      { text: row.slice(start), ...(value?.startsWith('"') && { style: TEXT }) },
    ];
  });
}
