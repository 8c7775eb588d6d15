import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkRequirements, type Repository, readRequirements } from './requirements-check.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = readFileSync(join(root, 'docs/requirements.md'), 'utf8');

it('every row has a test that exists or says what it waits for', async () => {
  const tests = await collectTests(namedFiles(document));
  const exists = (path: string) => existsSync(join(root, path));
  expect(checkRequirements(document, { tests, exists })).toEqual([]);
});

it('the five requirements that have a number in their document are there', () => {
  const ids = readRequirements(document).rows.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['MCP-01', 'MCP-02', 'MCP-03', 'MCP-04', 'MCP-05']));
});

describe('a document', () => {
  const repository: Repository = {
    tests: new Map([['test/a.test.ts', new Set(['it works', 'over stdio > it works'])]]),
    exists: (path) => path === 'packages/a.ts',
  };
  const heading = '| id | requirement | source | where it lives | shown by |\n|---|---|---|---|---|\n';
  const good = '| A-01 | It works | doc 1 | `packages/a.ts` | `test/a.test.ts` › it works |\n';

  it('without a flaw is accepted', () => {
    const rows = [
      good,
      '| A-02 | It \\| works | doc 1 | `packages/a.ts` | `test/a.test.ts` › over stdio › it works |\n',
      '| A-03 | It will work | doc 1 | | waits for: the bridge (issue 4) |\n',
      '| A-04 | Both | doc 1 | `packages/a.ts` | `test/a.test.ts` › it works<br>waits for: Neovim (issue 5) |\n',
    ];
    expect(checkRequirements(heading + rows.join(''), repository)).toEqual([]);
    expect(readRequirements(heading + rows.join('')).rows).toHaveLength(4);
  });

  it.each([
    [
      'a test does not exist',
      good.replace('› it works', '› it flies'),
      'A-01 names a test that test/a.test.ts does not have: it flies',
    ],
    [
      'a test is named without its group or with a wrong one',
      good.replace('› it works', '› over memory › it works'),
      'A-01 names a test that test/a.test.ts does not have: over memory > it works',
    ],
    [
      'a test file does not exist',
      good.replace('test/a.test.ts', 'test/b.test.ts'),
      'A-01 names test/b.test.ts, which is no test file',
    ],
    [
      'a row shows nothing',
      '| A-01 | It works | doc 1 | `packages/a.ts` | |\n',
      'A-01 names neither a test nor what it waits for',
    ],
    [
      'a row waits for no issue',
      '| A-01 | It works | doc 1 | | waits for: better times |\n',
      'A-01 has evidence that cannot be read: waits for: better times',
    ],
    [
      'a place does not exist',
      good.replace('packages/a.ts', 'packages/b.ts'),
      'A-01 lives in packages/b.ts, which does not exist',
    ],
    ['an id is there twice', good.replace('A-01', 'A-00') + good.replace('A-01', 'A-00'), 'A-00 is there twice'],
    ['an id is malformed', good.replace('A-01', 'a1'), 'an id is a word in capitals and a number: a1'],
    ['a cell is missing', good.replace('| doc 1 ', ''), 'a row has 5 cells, this one has 4'],
    ['a cell is empty', good.replace('doc 1', ''), 'A-01 lacks its requirement or its source'],
  ])('is refused when %s', (_flaw, rows, message) => {
    expect(checkRequirements(heading + rows, repository)).toEqual([expect.stringMatching(/^line \d+: /)]);
    expect(checkRequirements(heading + rows, repository)[0]).toContain(message);
  });
});

function namedFiles(markdown: string): string[] {
  const evidence = readRequirements(markdown).rows.flatMap((row) => row.evidence);
  const files = evidence.flatMap((item) => (item.kind === 'test' ? [item.file] : []));
  return [...new Set(files)].filter((file) => existsSync(join(root, file)));
}

/** The full names of the tests in these files, as vitest collects them: tables are filled in. */
async function collectTests(files: readonly string[]): Promise<Map<string, Set<string>>> {
  const tests = new Map<string, Set<string>>(files.map((file) => [file, new Set()]));
  const isReal = (file: string) => file.endsWith('.real.ts');
  const listed = await listTests(files.filter((file) => !isReal(file)));
  // What `npm run test:real` runs has the settings of its folder.
  for (const folder of new Set(files.filter(isReal).map((file) => dirname(file)))) {
    const own = files.filter((file) => isReal(file) && dirname(file) === folder);
    listed.push(...(await listTests(['--config', `${folder}/vitest.config.ts`, ...own])));
  }
  for (const { name, file } of listed) {
    const names = tests.get(relative(root, file).split(sep).join('/'));
    // A test of an editor has the version in its name that is installed here.
    names?.add(name).add(name.replace(/ \d+\.\d+\.\d+(?= )/, ' <version>'));
  }
  return tests;
}

async function listTests(args: readonly string[]): Promise<{ name: string; file: string }[]> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // Files that share one process share what they import. --json comes last: it would take a file that follows it for the one to
  // write to.
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'list', ...args, '--no-isolate', '--json'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.slice(stdout.indexOf('[')));
}
