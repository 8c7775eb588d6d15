import { TargetProblem } from './target.ts';

/**
 * The words of a command line, split as a POSIX shell does: quotes and backslashes count, everything else stands for
 * itself. No shell runs, so variables, patterns and operators are not special. Throws a TargetProblem for an open quote.
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const character = line.charAt(at);
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
      continue;
    }
    const part = partAt(line, at);
    word = (word ?? '') + part.text;
    at = part.end;
  }
  if (word !== undefined) words.push(word);
  return words;
}

interface Part {
  readonly text: string;
  readonly end: number;
}

function partAt(line: string, at: number): Part {
  const character = line.charAt(at);
  if (character === "'") return quoted(line, at, /'/g);
  if (character === '"') return quoted(line, at, /(?<!\\)(?:\\\\)*"/g);
  if (character !== '\\') return { text: character, end: at + 1 };
  if (at + 1 === line.length) throw new TargetProblem(`A backslash ends this command: ${line}`);
  return { text: line.charAt(at + 1), end: at + 2 };
}

function quoted(line: string, at: number, closing: RegExp): Part {
  closing.lastIndex = at + 1;
  if (closing.exec(line) === null) {
    throw new TargetProblem(`The quote at position ${at + 1} of this command is never closed: ${line}`);
  }
  const inside = line.slice(at + 1, closing.lastIndex - 1);
  const isDouble = line.charAt(at) === '"';
  return { text: isDouble ? inside.replace(/\\([\\"$`])/g, '$1') : inside, end: closing.lastIndex };
}
