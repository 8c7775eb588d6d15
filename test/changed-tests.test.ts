import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { branchPoint, changedFiles, testsThatName } from '../scripts/changed-tests.mjs';

const root = join(import.meta.dirname, '..');
const TESTS = [
  'packages/mcp/src/jsonrpc/peer.test.ts',
  'test/lisp-clients.test.ts',
  'test/lisp-system.test.ts',
  'test/hawser-command.test.ts',
  'test/requirements.test.ts',
];

describe('npm test -- --changed', () => {
  it('runs the tests that start a program in which the changed code is', () => {
    const programs = ['test/lisp-clients.test.ts', 'test/hawser-command.test.ts'];
    expect(testsThatName(root, TESTS, ['packages/mcp/src/jsonrpc/peer.ts'])).toEqual(programs);
    expect(testsThatName(root, TESTS, ['packages/lisp/src/session.ts'])).toEqual(['test/lisp-clients.test.ts']);
    expect(testsThatName(root, TESTS, ['packages/bridge/src/main.ts'])).toEqual(['test/hawser-command.test.ts']);
  });

  it('runs the tests that name a changed file or its folder', () => {
    expect(testsThatName(root, TESTS, ['docs/requirements.md'])).toEqual(['test/requirements.test.ts']);
    expect(testsThatName(root, TESTS, ['packages/lisp/lisp/sbcl.lisp'])).toEqual(
      expect.arrayContaining(['test/lisp-clients.test.ts', 'test/lisp-system.test.ts']),
    );
    expect(testsThatName(root, TESTS, [])).toEqual([]);
  });

  it('takes what differs from where the branch left main, committed or not', () => {
    const folder = temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: folder, encoding: 'utf8' });
    const commit = (name: string) => {
      writeFileSync(join(folder, name), name);
      git('add', '.');
      git('commit', '-qm', name);
    };
    git('init', '-q', '-b', 'main');
    commit('on-main');
    expect(changedFiles(folder, branchPoint(folder))).toEqual([]);
    git('checkout', '-qb', 'work');
    commit('committed');
    writeFileSync(join(folder, 'on-main'), 'changed');
    writeFileSync(join(folder, 'new'), '');
    expect(changedFiles(folder, branchPoint(folder))).toEqual(['committed', 'on-main', 'new']);
  });
});
