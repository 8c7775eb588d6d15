import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatcher } from './glob.ts';

const facts: [pattern: string, matched: string[], unmatched: string[]][] = [
  ['.env', ['.env', '/w/.env', '/w/a/b/.env', '/w/.ENV'], ['/w/.envrc', '/w/a.env', '/w/.env/bin', '/w/env']],
  ['.env.*', ['/w/.env.local', '/w/.env.'], ['/w/.env', '/w/x.env.local']],
  ['*.pem', ['/w/a.pem', '/w/.pem', '/w/a.b.PEM'], ['/w/a.pem.txt', '/w/a.pem/b']],
  ['id_rsa*', ['/h/id_rsa', '/h/id_rsa.pub'], ['/h/my_id_rsa']],
  ['?.key', ['/w/a.key', '/w/é.key', '/w/𝒜.key'], ['/w/.key', '/w/ab.key']],
  ['.ssh/**', ['/h/.ssh/config', '/h/.ssh/a/b', '/h/.ssh'], ['/h/ssh/config', '/h/x.ssh/config']],
  ['secrets/', ['/w/secrets/a', '/w/b/secrets/c/d'], ['/w/secrets.txt', '/w/my-secrets/a']],
  ['a/**/z', ['/a/z', '/a/b/z', '/x/a/b/c/z'], ['/a/b', '/az', '/a/zz']],
  ['a/*/z', ['/a/b/z'], ['/a/z', '/a/b/c/z']],
  ['/a/b', ['/a/b', 'a/b'], ['/x/a/b', '/a/b/c']],
  ['/a/**', ['/a/b', '/a/b/c'], ['/x/a/b']],
  ['~/a/**', ['~/a/b'], ['/x/~/a/b', '/a/b']],
  ['**', ['/a', '/a/b', ''], []],
  ['**/*.key', ['/a.key', '/b/c/a.key'], ['/a.keys']],
  ['a**b', ['/ab', '/axxb'], ['/a/b']],
  ['*a*b*', ['/xaxbx', '/ab'], ['/ba', '/a/b']],
  ['a.b', ['/a.b'], ['/axb']],
  ['(a|b)+$', ['/(a|b)+$'], ['/a', '/b']],
  ['./a', ['/a', '/x/a'], ['/ab']],
  ['caf\u00e9', ['/cafe\u0301', '/CAFÉ'], ['/cafe']],
];

describe('a pattern', () => {
  it.each(facts)('%s matches what it should and nothing else', (pattern, matched, unmatched) => {
    const matches = globMatcher(pattern);
    expect(matched.filter((path) => !matches(path))).toEqual([]);
    expect(unmatched.filter(matches)).toEqual([]);
  });

  it.each(['', '  '])('that is empty is refused: "%s"', (pattern) => {
    expect(() => globMatcher(pattern)).toThrow('An empty pattern matches nothing');
  });

  it.each(['!.env', '*.{pem,key}', '[ab].key'])('with a sign it does not know is refused: %s', (pattern) => {
    expect(() => globMatcher(pattern)).toThrow(`A pattern knows only *, ** and ?: ${pattern}`);
  });

  it('agrees with the regular expression it stands for', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 5 });
    const path = fc.array(name, { maxLength: 5 }).map((names) =>
      names
        .filter(isName)
        .map((each) => `/${each}`)
        .join(''),
    );
    const piece = fc.oneof(
      fc.constant('**'),
      fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 4 }).filter(isName),
    );
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pattern, path, (pieces, candidate) => {
        expect(globMatcher(`/${pieces.join('/')}`)(candidate)).toBe(expressionOf(pieces).test(candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it('made to be slow is not', () => {
    const matches = globMatcher(`${'*a'.repeat(50)}*c`);
    const started = performance.now();
    expect(matches(`/${'a'.repeat(4000)}b`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

function isName(text: string): boolean {
  return text !== '' && text !== '.';
}

/** On paths where a slash stands before each name. */
function expressionOf(pieces: readonly string[]): RegExp {
  const names = pieces.map((piece) => {
    if (piece === '**') return '(/[^/]+)*';
    return `/(?=[^/])${piece.replace(/[.]/g, '\\.').replace(/\*+/g, '[^/]*').replace(/\?/g, '[^/]')}`;
  });
  return new RegExp(`^${names.join('')}$`);
}
