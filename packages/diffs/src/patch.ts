import type { Change } from './accept.ts';
import { hunksOf } from './hunks.ts';
import { type RenderedLine, renderHunks } from './render-hunks.ts';

/**
 * The change as a patch that `git apply` and `patch -p1` take, in the folder that `name` is relative to. Its headers name
 * the hunks below them, counted from 1. Empty if nothing changes.
 */
export function patchOf(name: string, { oldText, newText }: Change): string {
  const [before, after] = [gitName(`a/${name}`), gitName(`b/${name}`)];
  if (oldText === undefined && newText === '') {
    // Without text only this form says that there is a file.
    return `diff --git ${before} ${after}\nnew file mode 100644\n`;
  }
  const texts = [oldText ?? '', newText];
  // A patch knows one line end. A carriage return alone, which ends a line for people, must not end one here.
  const hasLoneReturns = texts.some((text) => LONE_RETURN.test(text));
  const stand = hasLoneReturns ? unusedCharacter(texts.join('')) : '';
  const [oldLines = '', newLines = ''] = hasLoneReturns
    ? texts.map((text) => text.replace(LONE_RETURNS, stand))
    : texts;
  const lines = renderHunks(oldLines, hunksOf(oldLines, newLines));
  if (lines.length === 0) return '';
  const patch = groupsOf(lines)
    .map((group) => textOf(group, hasLoneReturns ? '' : hunksIn(group)))
    .join('');
  const names = `--- ${oldText === undefined ? '/dev/null' : before}\n+++ ${after}\n`;
  return names + (hasLoneReturns ? patch.replaceAll(stand, '\r') : patch);
}

const LONE_RETURN = /\r(?!\n)/;
const LONE_RETURNS = /\r(?!\n)/g;
const SIGNS = { context: ' ', removed: '-', added: '+' } as const;

/** Each header with the lines below it. */
function groupsOf(lines: readonly RenderedLine[]): RenderedLine[][] {
  const groups: RenderedLine[][] = [];
  for (const line of lines) {
    if (line.kind === 'header') groups.push([]);
    groups.at(-1)?.push(line);
  }
  return groups;
}

function textOf(group: readonly RenderedLine[], hunks: string): string {
  const lines = group.map((line) => {
    if (line.kind === 'header') return `${line.text}${hunks}\n`;
    const { kind, text, lineEnd } = line;
    return `${SIGNS[kind]}${text}${lineEnd === '' ? '\n\\ No newline at end of file\n' : lineEnd}`;
  });
  return lines.join('');
}

/** ` hunk 1` or ` hunks 2-4`. */
function hunksIn(group: readonly RenderedLine[]): string {
  const numbers = group.flatMap((line) => (line.kind === 'added' || line.kind === 'removed' ? line.hunk + 1 : []));
  const [first, last] = [numbers[0], numbers.at(-1)];
  return first === last ? ` hunk ${first}` : ` hunks ${first}-${last}`;
}

/** As git writes it: quoted if it has to be. A tab ends a name with spaces. */
function gitName(name: string): string {
  if (!/[\p{Cc}"\\]/u.test(name)) return name.includes(' ') ? `${name}\t` : name;
  const quoted = name.replace(/[\p{Cc}"\\]/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    const bytes = [...new TextEncoder().encode(character)];
    return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${quoted}"`;
}

function unusedCharacter(text: string): string {
  for (let code = 0xe000; code < 0xf900; code += 1) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) return character;
  }
  throw new Error('The texts use every private character of Unicode');
}
