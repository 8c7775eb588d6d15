/** Names every Common Lisp has, and those that SBCL and ECL give to control characters. */
const KNOWN = new Set(
  (
    'space newline tab page rubout linefeed return backspace nul null bell escape esc altmode delete del ' +
    'soh stx etx eot enq ack bel bs ht nl lf vt np ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub fs gs rs us sp'
  ).split(' '),
);

export type CharacterName = 'known' | 'unknown' | 'perhaps';

/** Whether there is a character of that name; `perhaps` if only the Lisp knows. */
export function judgeCharacterName(name: string): CharacterName {
  if ([...name].length === 1 || KNOWN.has(name.toLowerCase())) return 'known';
  const [, digits] = /^u\+?([0-9a-f]+)$/i.exec(name) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 16) <= 0x10ffff ? 'known' : 'unknown';
  if (/^\^[@-_a-z]$/.test(name)) return 'known';
  // Unicode's own names, such as GREEK_SMALL_LETTER_ALPHA or TILDE.
  return /^[a-z][a-z0-9_-]*$/i.test(name) ? 'perhaps' : 'unknown';
}
