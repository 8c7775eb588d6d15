const BOM = '\ufeff';

/** Two texts as an editor gets them: without the line ends and the byte order mark that both have in common. */
export interface WireForm {
  readonly lineEnd: '\n' | '\r\n';
  readonly hasBom: boolean;
  /** Empty for a new file. */
  readonly oldText: string;
  readonly newText: string;
}

export function wireForm(oldText: string | undefined, newText: string): WireForm {
  const texts = oldText === undefined ? [newText] : [oldText, newText];
  // A text that begins with two is left alone: an editor may keep the second one, or not.
  const hasBom = texts.every((text) => text.startsWith(BOM) && !text.startsWith(BOM, 1));
  const bare = hasBom ? texts.map((text) => text.slice(1)) : texts;
  const isCrlf = bare.some((text) => text.includes('\r\n')) && bare.every(isOnlyCrlf);
  const plain = isCrlf ? bare.map((text) => text.replaceAll('\r\n', '\n')) : bare;
  return {
    lineEnd: isCrlf ? '\r\n' : '\n',
    hasBom,
    oldText: oldText === undefined ? '' : (plain[0] ?? ''),
    newText: plain.at(-1) ?? '',
  };
}

/** A text of the editor as it is in the file. */
export function restored(text: string, { lineEnd, hasBom }: WireForm): string {
  const lines = lineEnd === '\r\n' ? text.replace(/\r?\n/g, '\r\n') : text;
  return hasBom && !lines.startsWith(BOM) ? BOM + lines : lines;
}

/** Each line feed has one carriage return before it, so that nothing is lost without them. */
function isOnlyCrlf(text: string): boolean {
  return !/(?<!\r)\n|\r\r\n/.test(text);
}
