import { isAbsolute, join, relative, sep } from 'node:path';
import { hunksOf } from '@hawser/diffs/hunks';
import { ignoreRules } from '../../access/glob.ts';
import { contains } from '../../access/paths.ts';
import type { ProposedChange } from '../proposal.ts';

/** What is done with a change without asking, or that the user is asked. */
export interface Rule {
  readonly verdict: 'accept' | 'refuse' | 'ask';
  /** As the user wrote it. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** It is about files in this folder; undefined: in every workspace. */
  readonly folder: string | undefined;
  /** Whether it is about a file, by its path from the folder. */
  readonly isFor: (path: string) => boolean;
  readonly conditions: readonly Condition[];
}

type Condition = (change: RuledChange, path: string) => boolean;
type RuledChange = Pick<ProposedChange, 'path' | 'oldText' | 'newText'>;

/** What files of tests are called. */
const TESTS = ['test/', 'tests/', '__tests__/', 'spec/', '*.test.*', '*.spec.*', '*_test.*', '*_spec.*', 'test_*'];
const VERDICTS = ['accept', 'refuse', 'ask'] as const;

/**
 * Reads rules, a line each, for example `accept docs/** if new and at most 20 lines`. `[~/project]` begins those of one
 * folder, `[*]` those of all. Throws an Error that names the line.
 */
export function parseRules(text: string, home: string): readonly Rule[] {
  let folder: string | undefined;
  return text.split('\n').flatMap((given, index) => {
    const written = given.trim();
    const [line, wrong] = [index + 1, (problem: string) => new Error(`Line ${index + 1}: ${problem}`)];
    if (written === '' || written.startsWith('#')) return [];
    if (written.startsWith('[')) {
      const [, name = ''] = /^\[(.+)\]$/.exec(written) ?? [];
      const path = name.replace(/^~(?=\/|$)/, home);
      if (name !== '*' && !isAbsolute(path)) throw wrong(`${written} is not [*], [/a/folder] or [~/a/folder]`);
      folder = name === '*' ? undefined : join(path);
      return [];
    }
    const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(written) ?? [];
    const [pattern = '', ...terms] = ` ${rest} `.split(/\sif\s/).map((part) => part.trim());
    const verdict = VERDICTS.find((each) => each === verb);
    if (verdict === undefined) throw wrong(`"${verb}" is not accept, refuse or ask`);
    if (pattern === '') throw wrong(`${verb} what? A pattern follows, for example docs/**`);
    if (pattern.startsWith('!') || pattern.startsWith('~')) throw wrong(`A pattern can't begin with ${pattern[0]}`);
    try {
      const [isFor, conditions] = [matcher([pattern]), conditionsOf(terms)];
      return { verdict, text: written, line, folder, isFor, conditions };
    } catch (error) {
      throw wrong((error as Error).message);
    }
  });
}

/** The first rule that is about this change; undefined if none is. `folders` are those of the workspace. */
export function ruleFor(rules: readonly Rule[], change: RuledChange, folders: readonly string[]): Rule | undefined {
  return rules.find(({ isFor, conditions, ...rule }) => {
    const path = pathFor(rule, change.path, folders);
    return path !== undefined && isFor(path) && conditions.every((holds) => holds(change, path));
  });
}

/** Where a file is, as the patterns of a rule name it; undefined if it is in another folder. */
export function pathFor(
  { folder }: Pick<Rule, 'folder'>,
  path: string,
  folders: readonly string[],
): string | undefined {
  const root = (folder === undefined ? folders : [folder]).find((each) => contains(each, path));
  return root === undefined ? undefined : relative(root, path).replaceAll(sep, '/');
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const isMatched = ignoreRules(patterns);
  return (path) => isMatched([path]);
}

const isTest = matcher(TESTS);

function conditionsOf(terms: readonly string[]): readonly Condition[] {
  return terms.flatMap((term) => term.split(/\s*,\s*|\s+and\s+/)).map(conditionOf);
}

function conditionOf(term: string): Condition {
  const [, limit] = /^at most (\d{1,9}) lines?$/.exec(term) ?? [];
  if (limit !== undefined) return ({ oldText = '', newText }) => changedLines(oldText, newText) <= Number(limit);
  switch (term) {
    case 'new':
      return ({ oldText }) => oldText === undefined;
    case 'tests':
      return (_change, path) => isTest(path);
    default:
      throw new Error(`"${term}" is not a condition; there are: new, tests, at most 20 lines`);
  }
}

/** A line that is replaced by another counts once. */
function changedLines(oldText: string, newText: string): number {
  return hunksOf(oldText, newText).reduce(
    (sum, { oldLines, newLines }) => sum + Math.max(oldLines.count, newLines.count),
    0,
  );
}
