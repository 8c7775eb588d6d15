/** One challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Servers that send more are not read any further. */
const MAX_HEADER_CHARS = 16 * 1024;

const SCHEME = /[!#$%&'*+.^_`|~\w-]+/y;
const PARAMETER = /([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
/** Credentials in one piece, as in `Negotiate oA==`; they are of no use here. */
const TOKEN68 = / +[\w.~+/-]+=*[ \t]*(?=,|$)/y;
const SEPARATORS = /[ \t,]*/y;

/** Reads the challenges up to the first mistake. */
export function parseChallenges(header: string | null | undefined): Challenge[] {
  const text = (header ?? '').slice(0, MAX_HEADER_CHARS);
  const challenges: Challenge[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match ?? undefined;
  };
  let parameters: Map<string, string> | undefined;
  for (take(SEPARATORS); at < text.length; take(SEPARATORS)) {
    const parameter = parameters && take(PARAMETER);
    if (parameter !== undefined) {
      const name = (parameter[1] as string).toLowerCase();
      const value = parameter[2]?.replaceAll(/\\(.)/g, '$1') ?? (parameter[3] as string);
      if (!parameters?.has(name)) parameters?.set(name, value);
      continue;
    }
    const scheme = take(SCHEME)?.[0];
    if (scheme === undefined) break;
    parameters = new Map();
    challenges.push({ scheme: scheme.toLowerCase(), parameters });
    take(TOKEN68);
  }
  return challenges;
}

/** The challenge that OAuth responds to. */
export function oauthChallenge(header: string | null | undefined): Challenge | undefined {
  const challenges = parseChallenges(header);
  return challenges.find(({ scheme }) => scheme === 'dpop') ?? challenges.find(({ scheme }) => scheme === 'bearer');
}
