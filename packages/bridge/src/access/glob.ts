/**
 * A pattern of file names, compiled. `*` and `?` match within one name, leading dots included; `**` as a whole name
 * matches any number of folders. `name` and `a/b` match at any depth, `/a/b` and `~/a` from the start only, `a/` all in
 * a folder.
 * Case does not matter: on many disks `.ENV` is `.env`. Takes paths with `/` between names.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.trim() === '') throw new Error('An empty pattern matches nothing');
  // To take these literally would leave open what the user meant to close.
  if (/^!|[[\]{}]/.test(pattern)) throw new Error(`A pattern knows only *, ** and ?: ${pattern}`);
  const isAnchored = /^(\/|~\/)/.test(pattern);
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const names = namesIn(whole).map((name) => (name === '**' ? ANY_FOLDERS : [...name]));
  const parts = isAnchored ? names : [ANY_FOLDERS, ...names];
  return (path) => fits(parts, namesIn(path), isAnyFolders, nameFits);
}

type NamePattern = readonly string[];

const ANY_FOLDERS: NamePattern = [];
const isAnyFolders = (part: NamePattern) => part === ANY_FOLDERS;
const isStar = (char: string) => char === '*';
const charFits = (pattern: string, char: string) => pattern === '?' || pattern === char;
const nameFits = (pattern: NamePattern, name: string) => fits(pattern, [...name], isStar, charFits);

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
