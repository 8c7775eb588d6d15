/** Lines far enough apart that changes of the second and of the eleventh are two hunks. */
export const LINES = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
export const TEXT = `${LINES.join('\n')}\n`;
