/** A text as lines. A line keeps its end: `\n`, `\r\n` or a lone `\r`; only the last one may have none. */
export interface Lines {
  readonly count: number;
  /** Where each line begins, and after the last line the length of the text. */
  readonly starts: readonly number[];
}

export function linesOf(text: string): Lines {
  const starts = [0];
  let lineFeed = text.indexOf('\n');
  let carriageReturn = text.indexOf('\r');
  if (carriageReturn === -1) {
    for (; lineFeed !== -1; lineFeed = text.indexOf('\n', lineFeed + 1)) starts.push(lineFeed + 1);
  }
  while (lineFeed !== -1 || carriageReturn !== -1) {
    const next = endOfLine(lineFeed, carriageReturn);
    starts.push(next);
    if (lineFeed !== -1 && lineFeed < next) lineFeed = text.indexOf('\n', next);
    if (carriageReturn !== -1 && carriageReturn < next) carriageReturn = text.indexOf('\r', next);
  }
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return { starts, count: starts.length - 1 };
}

/** Splits a line into what people see of it and its line end. */
export function splitLineEnd(line: string): { readonly content: string; readonly lineEnd: LineEnd } {
  const lineEnd = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : line.endsWith('\r') ? '\r' : '';
  return { content: line.slice(0, line.length - lineEnd.length), lineEnd };
}

/** Empty for the last line of a text without a final line end. */
export type LineEnd = '\n' | '\r\n' | '\r' | '';

function endOfLine(lineFeed: number, carriageReturn: number): number {
  if (carriageReturn === -1 || (lineFeed !== -1 && lineFeed < carriageReturn)) return lineFeed + 1;
  return carriageReturn + 1 === lineFeed ? lineFeed + 1 : carriageReturn + 1;
}
