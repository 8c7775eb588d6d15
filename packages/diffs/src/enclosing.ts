import type { Lines } from './lines.ts';

/** Lines that are looked at, upward, for what encloses one. */
const MAX_LINES = 2000;
/** What encloses a line is rarely deeper than this. */
const MAX_DEPTH = 20;
/** Lines of a program are shorter; others are not read. */
const MAX_LENGTH = 300;

/** Words before the one that says what is defined. */
const MODIFIERS =
  'export|default|declare|public|private|protected|internal|static|async|abstract|override|final|sealed|virtual|inline|unsafe|extern|const|pub(?:\\([^)]*\\))?';
const KINDS =
  'function|class|interface|enum|struct|trait|impl|fn|func|fun|def|module|namespace|object|record|type|macro|sub|proc|protocol|extension|defmodule|defp|contract|union';
const DEFINITION = new RegExp(`^(?:(?:${MODIFIERS})\\s+)*(?:${KINDS})\\b`);
/** `name(…) {`, as methods are written; also a test: `it('does it', () => {`. */
const METHOD = /^[\w$#@~*&<>[\],:?\s]*[\w$\]>]\s*(?:<[^>]*>)?\([^;]*[^;,]$/;
const ASSIGNED = /^(?:export\s+)?(?:const|let|var|local)\s+[\w$.]+.*(?:=>|\bfunction\b)/;
const LISP = /^\((?:\w+:)?def/i;
const CONTROL =
  /^(?:if|else|elif|elsif|for|foreach|while|until|do|loop|switch|case|when|match|try|catch|except|finally|with|return|throw|yield|await|new|in|of|unless|begin|then|assert|raise|print|super)\b/;
/** Also a brace on a line of its own, after what it belongs to. */
const CLOSES = /^(?:[)\]}]|\{$)/;
const COMMENT = /^(?:\/\/|\/\*|\*|#(?!\[)|--|;|<!--)/;
const HEADING = /^#{1,6}\s+\S/;

/** A text and where its lines begin. */
export interface SourceLines {
  readonly text: string;
  readonly lines: Lines;
}

/**
 * The line that begins what a line is part of: a function, a method or a class, by the way in which programs are
 * indented; in Markdown a heading. Lines from `before` on don't count. Undefined if nothing encloses it.
 */
export function enclosingLine(
  source: SourceLines,
  line: number,
  { before = line, isMarkdown = false } = {},
): string | undefined {
  if (isMarkdown) return headingAbove(source, Math.min(line, before));
  const enclosing: string[] = [];
  let limit = indentationFrom(source, line);
  for (let at = line - 1; at >= 0 && at > line - MAX_LINES && limit > 0 && enclosing.length < MAX_DEPTH; at -= 1) {
    const indentation = indentationAt(source, at);
    if (indentation === undefined || indentation >= limit) continue;
    const text = textAt(source, at);
    if (COMMENT.test(text)) continue;
    // What it closes began further up, at the same depth: the parameters of a function on lines of their own.
    limit = CLOSES.test(text) ? indentation + 1 : indentation;
    if (!CLOSES.test(text) && at < before) enclosing.push(text);
  }
  const found = enclosing.find((text) => isDefinition(text)) ?? enclosing.at(-1);
  return found === undefined ? undefined : withoutBrace(found);
}

function isDefinition(text: string): boolean {
  if (text.length >= MAX_LENGTH) return false;
  if (text.startsWith('(')) return LISP.test(text);
  return DEFINITION.test(text) || ASSIGNED.test(text) || (!CONTROL.test(text) && METHOD.test(text));
}

/** Of the line, or of the next one that is not empty. */
function indentationFrom(source: SourceLines, line: number): number {
  for (let at = line; at < Math.min(line + MAX_DEPTH, source.lines.count); at += 1) {
    const indentation = indentationAt(source, at);
    if (indentation !== undefined) return CLOSES.test(textAt(source, at)) ? indentation + 1 : indentation;
  }
  return 0;
}

/** Undefined for an empty line. A tab counts as one character: within a file lines are indented alike. */
function indentationAt({ text, lines: { starts } }: SourceLines, line: number): number | undefined {
  const [from, to] = [starts[line] ?? 0, starts[line + 1] ?? 0];
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) > SPACE) return at - from;
  return undefined;
}

const SPACE = 0x20;

/** The beginning of a line, without what stands around it. */
function textAt({ text, lines: { starts } }: SourceLines, line: number): string {
  const from = starts[line] ?? 0;
  return text.slice(from, Math.min(from + MAX_LENGTH, starts[line + 1] ?? 0)).trim();
}

function headingAbove(source: SourceLines, line: number): string | undefined {
  for (let at = line - 1; at >= 0 && at > line - MAX_LINES; at -= 1) {
    if (HEADING.test(textAt(source, at))) return textAt(source, at);
  }
  return undefined;
}

/** `remove(name: string): void {` is `remove(name: string): void`. */
function withoutBrace(text: string): string {
  return text.replace(/\s*(?:=>\s*)?[{(:]$/, '');
}
