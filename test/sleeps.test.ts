import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFiles, root } from './repository-files.ts';

// Whatever its resolver is called, and Neovim's own wait without a condition. What polls in a loop is in `testing/`.
const SLEEP =
  /\((\w+)\) => (?:void )?(?:global\.)?setTimeout\(\1\b|setTimeout\(resolve|(?<![.\w#])(?:delay|sleep)\(|\bawait setTimeout\(|\bscheduler\.wait\(|vim\.wait\((?:\d+|\.\.\.)\)/;
const TESTS = /\.(?:test|contract|real)\.ts$/;

const filesAt = (pattern: RegExp) =>
  repositoryFiles()
    .filter((path) => pattern.test(path) && path !== 'test/sleeps.test.ts')
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

it('tests wait for events: a line that only lets time pass has the reason in the line above it', () => {
  const sleeps = filesAt(TESTS).flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) =>
      SLEEP.test(line) ? [{ at: `${path}:${index + 1}`, reason: lines[index - 1]?.trim() ?? '' }] : [],
    );
  });
  expect(sleeps.length).toBeGreaterThan(5);
  expect(sleeps.filter(({ reason }) => !/^(?:\/\/|\*|\/\*\*)/.test(reason)).map(({ at }) => at)).toEqual([]);
});

// It gives up after a second if nobody says how long; `expect.poll` has its time from vitest.config.ts.
it('tests wait as long as a busy machine takes: vi.waitFor is told to wait at least half a minute', () => {
  const hasty = filesAt(/\.(?:test|contract|real)\.ts$|\/testing\/.*\.ts$/).flatMap(({ path, text }) =>
    text
      .split(/\bvi\.wait(?:For|Until)\(/)
      .slice(1)
      .filter((call) => !/\b[3-9]\d_000\b/.test(call.slice(0, 500)))
      .map((call) => `${path}: ${call.split('\n')[0]}`),
  );
  expect(hasty).toEqual([]);
});
