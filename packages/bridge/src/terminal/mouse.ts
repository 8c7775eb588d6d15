/** What the user does with the mouse. Rows and columns count from 0. */
export type MouseEvent =
  | { readonly kind: 'click'; readonly row: number; readonly column: number }
  /** 1 is down, towards the end. */
  | { readonly kind: 'wheel'; readonly step: 1 | -1; readonly row: number; readonly column: number };

/** Clicks and the wheel are reported, in a form without limits on the size of the screen; moves are not. */
export const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
export const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are control characters
const REPORT = /^\x1b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])$/;
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** Undefined for another sequence, and for what nothing is done with: other buttons, releases. */
export function mouseEventOf(sequence: string): MouseEvent | undefined {
  const [, button, column, row, state] = REPORT.exec(sequence) ?? [];
  if (state !== 'M') return undefined;
  const place = { row: Number(row) - 1, column: Number(column) - 1 };
  switch (Number(button)) {
    case LEFT:
      return { kind: 'click', ...place };
    case WHEEL_UP:
      return { kind: 'wheel', step: -1, ...place };
    case WHEEL_DOWN:
      return { kind: 'wheel', step: 1, ...place };
    default:
      return undefined;
  }
}
