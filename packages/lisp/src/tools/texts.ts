/**
 * Text fit for JSON of any reader: a surrogate without its partner, which Lisp strings may contain and many JSON
 * readers refuse, becomes U+FFFD.
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** For the eye of a model: control characters other than line ends and tabs are shown as their pictures. */
export function visible(text: string): string {
  return (
    wellFormed(text)
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, picture)
  );
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return '␡';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\x${code.toString(16)}`;
}

/** The beginning of a text that is too long, and how much is missing. */
export function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${wellFormed(text.slice(0, limit))}… (${text.length - limit} more characters)`;
}

/** The first of many, and a line about the others. */
export function boundedList<T>(
  items: readonly T[],
  limit: number,
): { readonly shown: readonly T[]; readonly left: number } {
  return { shown: items.slice(0, limit), left: Math.max(0, items.length - limit) };
}
