import { describe, expect, it } from 'vitest';
import { parseRules, ruleFor } from './rules.ts';

const HOME = '/home/me';
const lines = (count: number) => 'x\n'.repeat(count);

/** The line of the rule that decides; 0 if none does. */
function decidedBy(
  rules: string,
  path: string,
  change: { oldText?: string | undefined; newText?: string } = {},
): number {
  const { oldText = change.newText === undefined ? 'a\n' : undefined, newText = 'b\n' } = change;
  return ruleFor(parseRules(rules, HOME), { path, oldText, newText }, ['/w', '/other'])?.line ?? 0;
}

describe('the first rule that matches decides', () => {
  const rules = `
# mine
refuse *.lock
accept docs/** if new
ask    docs/guide/
accept docs/ if at most 2 lines
`;

  it.each([
    ['/w/deep/yarn.lock', 3],
    ['/w/docs/new.lock', 3],
    ['/w/docs/guide/a.md', 5],
    ['/w/docs/a.md', 6],
    ['/other/docs/a.md', 6],
    ['/w/src/a.ts', 0],
    ['/elsewhere/docs/a.md', 0],
    ['/w/src/docs/a.md', 6],
  ])('%s: line %d', (path, line) => {
    expect(decidedBy(rules, path)).toBe(line);
  });

  it('only if its conditions hold: a new file, and how many lines change', () => {
    expect(decidedBy(rules, '/w/docs/guide/b.md', { newText: lines(9) })).toBe(4);
    expect(decidedBy(rules, '/w/docs/a.md', { oldText: lines(5), newText: lines(7) })).toBe(6);
    expect(decidedBy(rules, '/w/docs/a.md', { oldText: lines(5), newText: lines(8) })).toBe(0);
    expect(decidedBy(rules, '/w/docs/a.md', { oldText: 'a\nb\nc\n', newText: 'A\nB\nc\n' })).toBe(6);
    expect(decidedBy('accept ** if new and at most 1 line', '/w/a', { newText: 'a\n' })).toBe(1);
    expect(decidedBy('accept ** if new, at most 1 line', '/w/a', { newText: 'a\nb\n' })).toBe(0);
  });

  it.each(['test/a.ts', 'deep/tests/a', 'src/a.test.ts', 'src/a_test.go', 'test_a.py', 'spec/a.rb', 'a.spec.js'])(
    'tests are known by their names: %s',
    (path) => expect(decidedBy('accept ** if tests', `/w/${path}`)).toBe(1),
  );

  it.each(['src/latest.ts', 'contest/a.ts', 'testing.md'])('and others are not: %s', (path) =>
    expect(decidedBy('accept ** if tests', `/w/${path}`)).toBe(0),
  );
});

it('rules below a folder are about that folder, and [*] about all again', () => {
  const rules = '[/w]\naccept docs/\n[~/x]\naccept a.md\n[*]\nask **\n';
  expect(decidedBy(rules, '/w/docs/a')).toBe(2);
  expect(decidedBy(rules, '/other/docs/a')).toBe(6);
  expect(decidedBy(rules, `${HOME}/x/a.md`)).toBe(4);
  expect(decidedBy(rules, `${HOME}/x/b.md`)).toBe(0);
});

it.each([
  ['acept docs/', 'Line 1: "acept" is not accept, refuse or ask'],
  ['\naccept', 'Line 2: accept what? A pattern follows, for example docs/**'],
  ['accept docs/ if', 'Line 1: "" is not a condition'],
  ['ask if new', 'Line 1: ask what?'],
  ['accept !docs', "Line 1: A pattern can't begin with !"],
  ['accept *.{a,b}', 'Line 1: Braces are not supported in patterns'],
  ['accept [a', 'Line 1: A pattern has [ without ]'],
  ['accept docs/ if newish', 'Line 1: "newish" is not a condition; there are: new, tests, at most 20 lines'],
  ['accept docs/ if at most few lines', 'Line 1: "at most few lines" is not a condition'],
  ['[docs]', 'Line 1: [docs] is not [*], [/a/folder] or [~/a/folder]'],
  ['[/a', 'Line 1: [/a is not'],
])('what is wrong is said with its line: %j', (text, problem) => {
  expect(() => parseRules(text, HOME)).toThrow(problem);
});
