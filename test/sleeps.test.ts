import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFiles, root } from './repository-files.ts';

const SLEEP = /setTimeout\(resolve|\bawait (?:delay|sleep)\(|vim\.wait\(\d/;

it('tests wait for events: a line that only lets time pass has the reason in the line above it', () => {
  const tests = repositoryFiles().filter(
    (path) => /\.(?:test|contract)\.ts$/.test(path) && path !== 'test/sleeps.test.ts',
  );
  const sleeps = tests.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      SLEEP.test(line) ? [{ at: `${path}:${index + 1}`, reason: lines[index - 1]?.trim() ?? '' }] : [],
    );
  });
  expect(sleeps.length).toBeGreaterThan(5);
  expect(sleeps.filter(({ reason }) => !/^(?:\/\/|\*|\/\*\*)/.test(reason)).map(({ at }) => at)).toEqual([]);
});
