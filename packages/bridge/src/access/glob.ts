/**
 * Rules in the language of `.gitignore`: the last pattern that matches decides, and `!` takes back what an earlier one
 * matched, but nothing inside a folder that is matched. A pattern with a slash that is not its last character begins at
 * the root, `~/` at the home folder, others match at any depth. Case does not matter: on many disks `.ENV` is `.env`.
 *
 * The returned function takes one path seen from several roots, each view with `/` between names. Throws when a pattern
 * is not one.
 */
export function ignoreRules(patterns: readonly string[]): (views: readonly string[]) => boolean {
  const rules = patterns.map(ruleOf);
  const isMatched = (views: readonly (readonly string[])[], isFolder: boolean) => {
    const decisive = rules.findLast(
      ({ isOnlyForFolders, matches }) => (isFolder || !isOnlyForFolders) && views.some(matches),
    );
    return decisive?.kind === 'deny';
  };
  return (paths) => {
    const views = paths.map(namesIn);
    const depth = Math.max(0, ...views.map((names) => names.length - 1));
    for (let above = depth; above > 0; above -= 1) {
      const folders = views.filter((names) => names.length > above).map((names) => names.slice(0, -above));
      if (isMatched(folders, true)) return true;
    }
    return isMatched(views, false);
  };
}

interface Rule {
  readonly kind: 'deny' | 'allow';
  readonly isOnlyForFolders: boolean;
  readonly matches: (names: readonly string[]) => boolean;
}

function ruleOf(given: string): Rule {
  const isNegated = given.startsWith('!');
  const pattern = isNegated ? given.slice(1) : given;
  if (pattern.replaceAll('/', '').trim() === '') throw new Error(`An empty pattern matches nothing: "${given}"`);
  // Taken literally, these would share files that the user meant to deny.
  if (/[{}]/.test(pattern))
    throw new Error(`Braces are not supported in patterns; write one pattern for each case: ${given}`);
  const isOnlyForFolders = pattern.endsWith('/');
  const isAnchored = pattern.replace(/\/+$/, '').includes('/');
  const names = namesIn(pattern).map((name) => (name === '**' ? ANY_FOLDERS : partsOf(name, given)));
  // As in .gitignore, `a/**` is all that is in the folder, not the folder.
  const last = names.at(-1) === ANY_FOLDERS ? [ANYTHING] : [];
  const parts = [...(isAnchored ? [] : [ANY_FOLDERS]), ...names, ...last];
  const [name] = names;
  // It is asked once for each folder of a path: for most patterns, its name is all that counts.
  const isOfLastName = !isAnchored && name !== undefined && name !== ANY_FOLDERS;
  return {
    kind: isNegated ? 'allow' : 'deny',
    isOnlyForFolders,
    matches: (path) => (isOfLastName ? nameFits(name, path.at(-1) ?? '') : fits(parts, path, isAnyFolders, nameFits)),
  };
}

/** One character of a name, or `*`. */
type Part = '*' | ((char: string) => boolean);
type NamePattern = readonly Part[];

const ANY_FOLDERS: NamePattern = [];
const ANYTHING: NamePattern = ['*'];
const isAnyFolders = (part: NamePattern) => part === ANY_FOLDERS;
const isStar = (part: Part) => part === '*';
const charFits = (part: Part, char: string) => part !== '*' && part(char);
const nameFits = (pattern: NamePattern, name: string) => fits(pattern, [...name], isStar, charFits);

function partsOf(name: string, pattern: string): NamePattern {
  const parts: Part[] = [];
  const chars = [...name];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') parts.push('*');
    else if (char === '?') parts.push(() => true);
    else if (char === '[') {
      const end = chars.indexOf(']', at + (/[!^]/.test(chars[at + 1] ?? '') ? 3 : 2));
      if (end === -1) throw new Error(`A pattern has [ without ]: ${pattern}`);
      parts.push(classOf(chars.slice(at + 1, end)));
      at = end;
    } else {
      if (char === '\\') at += 1;
      const wanted = chars[at];
      if (wanted === undefined) throw new Error(`A pattern ends with a backslash: ${pattern}`);
      parts.push((found) => found === wanted);
    }
  }
  return parts;
}

/** `[a-z_]`, and `[!a-z]` for all others. */
function classOf(given: readonly string[]): (char: string) => boolean {
  const isNegated = given[0] === '!' || given[0] === '^';
  const chars = isNegated ? given.slice(1) : given;
  const ranges: [first: string, last: string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const [first = '', dash, last] = chars.slice(at, at + 3);
    if (dash === '-' && last !== undefined) {
      ranges.push([first, last]);
      at += 2;
    } else {
      ranges.push([first, first]);
    }
  }
  return (char) => ranges.some(([first, last]) => first <= char && char <= last) !== isNegated;
}

function namesIn(path: string): string[] {
  const folded = path.normalize('NFC').toLowerCase();
  return folded.split('/').filter((name) => name !== '' && name !== '.');
}

/** Goes back to the last wildcard only, so that no pattern takes longer than the product of both lengths. */
function fits<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isWild: (part: P) => boolean,
  fitsOne: (part: P, item: T) => boolean,
): boolean {
  let part = 0;
  let wild = -1;
  let taken = 0;
  for (let item = 0; item < items.length; ) {
    const [wanted, found] = [pattern[part], items[item]];
    if (wanted !== undefined && isWild(wanted)) {
      wild = part++;
      taken = item;
    } else if (wanted !== undefined && found !== undefined && fitsOne(wanted, found)) {
      part++;
      item++;
    } else if (wild >= 0) {
      part = wild + 1;
      item = ++taken;
    } else {
      return false;
    }
  }
  return pattern.slice(part).every(isWild);
}
