/** Splits a command line as a shell does, with quotes and backslashes, but without expansion. */
export function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (/\s/.test(character)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const { text, end } = quoted(line, at, character);
      word = (word ?? '') + text;
      at = end;
    } else if (character === '\\') {
      at += 1;
      if (at >= line.length) throw new Error('A backslash at the end has nothing to escape');
      word = (word ?? '') + line.charAt(at);
    } else word = (word ?? '') + character;
  }
  if (word !== undefined) found.push(word);
  return found;
}

function quoted(line: string, start: number, quote: string): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at };
    const escapes = quote === '"' && character === '\\' && /["\\]/.test(line.charAt(at + 1));
    if (escapes) at += 1;
    text += line.charAt(at);
  }
  throw new Error(`The ${quote} at ${start} is not closed`);
}
