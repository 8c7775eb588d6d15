import { readFileSync, statSync } from 'node:fs';
import { checkDelimiters } from './delimiters.ts';
import type { Outcome } from './evaluator.ts';

const MAX_CHECKED_CODE = 200_000;

/** Where a parenthesis is missing, if the reader failed: it stops at the end of the text. */
export function syntaxHint({ error }: Outcome, code: string | undefined): string | undefined {
  if (error?.phase !== 'read' || error.advice !== undefined) return undefined;
  const text = error.file === undefined ? code : textOf(error.file);
  if (text === undefined || text.length > MAX_CHECKED_CODE) return undefined;
  const [problem] = checkDelimiters(text);
  return problem && `line ${problem.line}, column ${problem.column}: ${problem.message}`;
}

function textOf(file: string): string | undefined {
  try {
    const stats = statSync(file);
    // Anything but a file could make the server wait.
    return stats.isFile() && stats.size <= MAX_CHECKED_CODE * 4 ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // The Lisp may see other files, for example in a container.
    return undefined;
  }
}
