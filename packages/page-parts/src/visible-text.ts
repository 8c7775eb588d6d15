/**
 * Characters that can't be seen or change how the text around them looks: controls, bidi controls, zero-width ones. The
 * joiners are part of how words and emoji are written.
 */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of a server in which nothing is hidden: such characters are written as in JSON. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Indented JSON in which nothing is hidden; it can be parsed again. */
export function prettyJson(value: unknown): string {
  return visible(JSON.stringify(value, undefined, 2) ?? 'undefined');
}

/** One line of a text, such as a description in a list. */
export function firstLine(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line;
}

export function sizeInWords(characters: number): string {
  if (characters < 1000) return `${characters} B`;
  return characters < 1_000_000 ? `${(characters / 1000).toFixed(1)} kB` : `${(characters / 1_000_000).toFixed(1)} MB`;
}

export function durationInWords(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

/** `14:03:59.120` of the user's day. */
export function timeInWords(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
