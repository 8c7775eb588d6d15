/** JSON that a terminal can be given: what it would obey, or not show, is escaped within the texts. */
export function jsonText(value: unknown, { indent = 2 }: { readonly indent?: number } = {}): string {
  return JSON.stringify(value, undefined, indent).replace(
    UNSHOWN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON escapes the others itself: it leaves C1 controls, marks of direction and separators. */
const UNSHOWN = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
