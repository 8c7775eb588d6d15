import type { Rgb } from './colours.ts';

/** Asks for the colour behind the text, then for something that every terminal answers. */
export const BACKGROUND_QUESTION = '\x1b]11;?\x1b\\\x1b[c';

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are control characters
const BACKGROUND = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are control characters
const ATTRIBUTES = /^\x1b\[\?[\d;]*c$/;

/** What a sequence of the terminal says about it: the colour; that none follows any more; or nothing. */
export function backgroundAnswer(sequence: string): Rgb | 'no more' | undefined {
  if (ATTRIBUTES.test(sequence)) return 'no more';
  const parts = BACKGROUND.exec(sequence)?.slice(1);
  if (parts === undefined) return undefined;
  // Each part has as many digits as the terminal likes: `f` and `ffff` are the same.
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255),
  );
  return [red, green, blue];
}
