/** A token of a JSON pointer within a URI, as the validator writes it. A text that no URI can have stands for itself. */
export function pointerToken(name: string): string {
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  try {
    return encodeURI(token).replaceAll('#', '%23');
  } catch {
    return token;
  }
}

/** The text of a URI's part; the part itself if it is not encoded properly. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
