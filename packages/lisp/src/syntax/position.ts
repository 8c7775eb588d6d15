/** The place of an offset: line from 1, column from 0, counted in characters as Lisp counts them. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: [...text.slice(lineStart, offset)].length };
}
