/** Reads the value of an option. */
export function toCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error('A count is a whole number from 1 to 999999.');
}
