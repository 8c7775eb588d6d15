import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../mcp/testing/processor-time.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { ignoreRules } from './glob.ts';

const facts: [pattern: string, matched: string[], unmatched: string[]][] = [
  ['.env', ['.env', '/w/.env', '/w/a/b/.env', '/w/.ENV', '/w/.env/bin'], ['/w/.envrc', '/w/a.env', '/w/env']],
  ['.env.*', ['/w/.env.local', '/w/.env.'], ['/w/.env', '/w/x.env.local']],
  ['*.pem', ['/w/a.pem', '/w/.pem', '/w/a.b.PEM', '/w/a.pem/b'], ['/w/a.pem.txt']],
  ['id_rsa*', ['/h/id_rsa', '/h/id_rsa.pub'], ['/h/my_id_rsa']],
  ['?.key', ['/w/a.key', '/w/é.key', '/w/𝒜.key'], ['/w/.key', '/w/ab.key']],
  ['.ssh/', ['/h/.ssh/config', '/h/.ssh/a/b'], ['/h/ssh/config', '/h/x.ssh/config', '/w/.ssh']],
  ['secrets/', ['/w/secrets/a', '/w/b/secrets/c/d'], ['/w/secrets.txt', '/w/my-secrets/a']],
  ['a/**/z', ['/a/z', '/a/b/z'], ['/a/b', '/az', '/a/zz', '/x/a/z']],
  ['**/a/z', ['/a/z', '/x/a/z', '/x/y/a/z'], ['/a/b/z']],
  ['a/*/z', ['/a/b/z'], ['/a/z', '/a/b/c/z']],
  ['/a/b', ['/a/b', 'a/b', '/a/b/c'], ['/x/a/b']],
  ['a/b', ['/a/b'], ['/x/a/b']],
  ['/a/**', ['/a/b', '/a/b/c'], ['/x/a/b', '/a']],
  ['~/a/**', ['~/a/b'], ['/x/~/a/b', '/a/b']],
  ['**', ['/a', '/a/b'], []],
  ['**/*.key', ['/a.key', '/b/c/a.key'], ['/a.keys']],
  ['a**b', ['/ab', '/axxb'], ['/a/b']],
  ['*a*b*', ['/xaxbx', '/ab'], ['/ba', '/a/b']],
  ['a.b', ['/a.b'], ['/axb']],
  ['(a|b)+$', ['/(a|b)+$'], ['/a', '/b']],
  ['[ab].key', ['/a.key', '/B.key'], ['/c.key', '/ab.key']],
  ['[a-c0-9_].key', ['/b.key', '/7.key', '/_.key'], ['/d.key', '/-.key']],
  ['[!a-c].key', ['/d.key'], ['/b.key', '/.key']],
  ['[]a].key', ['/].key', '/a.key'], ['/b.key']],
  ['\\!a', ['/!a'], ['/a']],
  ['\\*', ['/*'], ['/a']],
  ['caf\u00e9', ['/cafe\u0301', '/CAFÉ'], ['/cafe']],
];

const decisions: [patterns: string[], denied: string[], allowed: string[]][] = [
  [['.env.*', '!.env.example'], ['/w/.env.local'], ['/w/.env.example', '/w/a/.env.example']],
  [['!.env.example', '.env.*'], ['/w/.env.example'], []],
  [['*.key', '!public/', '!public/*.key'], ['/a.key'], ['/public/a.key']],
  [['private/', '!private/a.txt'], ['/private/a.txt'], []],
  [['private/*', '!private/a.txt'], ['/private/b.txt', '/private/c/a.txt'], ['/private/a.txt']],
  [
    ['*.log', '!keep.log', 'a/keep.log'],
    ['/x.log', '/a/keep.log'],
    ['/keep.log', '/b/keep.log'],
  ],
];

const globMatcher = (pattern: string) => {
  const matches = ignoreRules([pattern]);
  return (path: string) => matches([path]);
};

describe('a pattern', () => {
  it.each(facts)('%s matches what it should and nothing else', (pattern, matched, unmatched) => {
    const matches = globMatcher(pattern);
    expect(matched.filter((path) => !matches(path))).toEqual([]);
    expect(unmatched.filter(matches)).toEqual([]);
  });

  it.each(decisions)('of %j the last that matches decides', (patterns, denied, allowed) => {
    const matches = ignoreRules(patterns);
    expect(denied.filter((path) => !matches([path]))).toEqual([]);
    expect(allowed.filter((path) => matches([path]))).toEqual([]);
  });

  it('is looked for in every view of a path, and taken back in any', () => {
    const matches = ignoreRules(['.env.*', '!/public/.env.demo']);
    expect(matches(['/home/me/w/public/.env.demo', '/public/.env.demo'])).toBe(false);
    expect(matches(['/home/me/w/private/.env.demo', '/private/.env.demo'])).toBe(true);
  });

  it.each(['', '  ', '!', '/'])('that is empty is refused: "%s"', (pattern) => {
    expect(() => globMatcher(pattern)).toThrow('An empty pattern matches nothing');
  });

  it.each(['*.{pem,key}', '[ab', 'a\\'])('that is not one is refused: %s', (pattern) => {
    expect(() => globMatcher(pattern)).toThrow(pattern);
  });

  it('decides as git does', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 3 }).filter(isName);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const piece = fc.oneof(
      fc.constant('**'),
      fc
        .string({ unit: fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]'), minLength: 1, maxLength: 3 })
        // Documented as `a*`, but for git `a**/**` also matches the file `a`.
        .filter((text) => isName(text) && !text.includes('**')),
    );
    const pattern = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '/'),
        fc.array(piece, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '', '/'),
      )
      .map(([not, start, pieces, end]) => not + start + pieces.join('/') + end);
    const rules = fc.array(pattern, { minLength: 1, maxLength: 4 });
    const folder = temporaryFolder();
    execFileSync('git', ['init', '--quiet', folder]);
    fc.assert(
      fc.property(rules, fc.uniqueArray(path, { minLength: 20, maxLength: 20 }), (patterns, candidates) => {
        const matches = ignoreRules(patterns);
        expect(candidates.filter((each) => matches([each]))).toEqual(ignoredByGit(folder, patterns, candidates));
      }),
      { numRuns: 150 },
    );
  });

  it('made to be slow is not', () => {
    const matches = globMatcher(`${'*a'.repeat(50)}*c`);
    const started = processorTime();
    expect(matches(`/${'a'.repeat(4000)}b`)).toBe(false);
    expect(processorTime() - started).toBeLessThan(1000);
  });
});

function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}

function ignoredByGit(folder: string, patterns: readonly string[], paths: readonly string[]): string[] {
  writeFileSync(join(folder, '.gitignore'), patterns.map((each) => `${each}\n`).join(''));
  const { stdout } = spawnSync('git', ['-C', folder, 'check-ignore', '--no-index', '--stdin', '-z'], {
    input: paths.join('\0'),
    encoding: 'utf8',
  });
  return stdout.split('\0').filter((each) => each !== '');
}
