import type { Node } from './node.ts';

/** The default features for `#+` and `#-`: those of SBCL on Linux. */
export const SBCL_FEATURES: readonly string[] = [
  '64-bit',
  'ansi-cl',
  'common-lisp',
  'elf',
  'gencgc',
  'ieee-floating-point',
  'linux',
  'little-endian',
  'package-local-nicknames',
  'sb-core-compression',
  'sb-ldb',
  'sb-package-locks',
  'sb-thread',
  'sb-unicode',
  'sbcl',
  'unix',
  'x86-64',
];

export type FeatureVerdict = 'present' | 'absent' | 'malformed';

/** Decides a feature expression; the features are given in upper case. */
export function featureVerdict(expression: Node, features: ReadonlySet<string>): FeatureVerdict {
  if (expression.kind === 'unknown') return 'present';
  if (expression.kind === 'token') {
    const { token } = expression;
    if (token.type !== 'symbol') return 'malformed';
    return features.has(symbolName(token)) ? 'present' : 'absent';
  }
  if (expression.kind !== 'list') return 'malformed';
  const [head, ...parts] = expression.items;
  // A dotted list has no valid elements.
  const rest = expression.dotted ? parts.slice(0, -1) : parts;
  const end = expression.dotted ? 'malformed' : undefined;
  if (head === undefined) return 'absent';
  if (head.kind !== 'token') return 'malformed';
  switch (symbolName(head.token)) {
    case 'AND':
      return combine(rest, features, 'absent', end ?? 'present');
    case 'OR':
      return combine(rest, features, 'present', end ?? 'absent');
    case 'NOT': {
      const [only, more] = rest;
      if (only === undefined || more !== undefined || expression.dotted) return 'malformed';
      const verdict = featureVerdict(only, features);
      return verdict === 'malformed' ? verdict : verdict === 'present' ? 'absent' : 'present';
    }
    default:
      return 'malformed';
  }
}

/** From left to right, up to the first that decides. */
function combine(
  parts: readonly Node[],
  features: ReadonlySet<string>,
  deciding: FeatureVerdict,
  otherwise: FeatureVerdict,
): FeatureVerdict {
  for (const part of parts) {
    const verdict = featureVerdict(part, features);
    if (verdict === deciding || verdict === 'malformed') return verdict;
  }
  return otherwise;
}

function symbolName({ name, colons }: { readonly name: string; readonly colons: readonly number[] }): string {
  return name.slice((colons.at(-1) ?? -1) + 1);
}
