import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/bridge/testing/temporary-folder.ts';
import { runNode, startServer } from '../../scripts/conformance/child.mjs';
import type { Group } from '../../scripts/conformance/groups.mjs';
import { counts, describeGroups } from '../../scripts/conformance/report.mjs';
import { readChecks, requirements } from '../../scripts/conformance/suite.mjs';
import { judge } from '../../scripts/conformance/verdict.mjs';

describe('the verdict on a scenario', () => {
  const success = { id: 'good', status: 'SUCCESS' } as const;
  const failure = { id: 'bad', status: 'FAILURE', errorMessage: 'broken' } as const;
  const warning = { id: 'odd', status: 'WARNING', description: 'strange' } as const;
  const skipped = { id: 'later', status: 'SKIPPED' } as const;
  const info = { id: 'by the way', status: 'INFO' } as const;

  test('is passed when checks succeeded and none failed; warnings are kept', () => {
    expect(judge('s', [success, info, skipped, warning], undefined)).toEqual({
      scenario: 's',
      outcome: 'passed',
      failures: [],
      warnings: [{ id: 'odd', message: 'strange' }],
    });
  });

  test('is failed when a check failed', () => {
    expect(judge('s', [success, failure], undefined)).toMatchObject({
      outcome: 'failed',
      failures: [{ id: 'bad', message: 'broken' }],
    });
  });

  test.each([
    ['it was not run to its end', undefined],
    ['there was no check', []],
    ['no check succeeded', [info, skipped]],
    ['there were only warnings', [warning]],
  ])('is failed when %s', (_why, checks) => {
    expect(judge('s', checks, undefined).outcome).toBe('failed');
  });

  test('is failed when the client crashed though all checks succeeded', () => {
    expect(judge('s', [success], 'exit code 1')).toMatchObject({
      outcome: 'failed',
      failures: [{ id: 'run', message: 'exit code 1' }],
    });
  });

  test('is skipped when the suite has skipped every check', () => {
    expect(judge('s', [skipped], undefined).outcome).toBe('skipped');
  });
});

describe('the report', () => {
  const passed = { scenario: 'a', outcome: 'passed', failures: [], warnings: [] } as const;
  const failed = { scenario: 'b', outcome: 'failed', failures: [{ id: 'x', message: 'no' }], warnings: [] } as const;
  const skipped = { scenario: 'c', outcome: 'skipped', failures: [], warnings: [] } as const;
  const group = {
    kind: 'server',
    revision: '2025-11-25',
    required: [passed, failed, skipped],
    notScored: [{ ...failed, scenario: 'd', reason: 'pending' }],
  } as unknown as Group; // literals are read-only

  test('counts a required scenario that was skipped as failed', () => {
    expect(counts(group)).toEqual({ required: 3, passed: 1, failed: 2 });
  });

  test('has a table, the failures with their checks, and apart from them what is not scored', () => {
    expect(describeGroups([group]).split('\n')).toEqual([
      '        revision    required  passed  failed',
      'server  2025-11-25         3       1       2',
      '',
      'Failures:',
      '  server 2025-11-25 b: x: no',
      '  server 2025-11-25 c: the suite has skipped it',
      '',
      'Run, but not scored by the suite:',
      '  ✗ server 2025-11-25 d (pending)',
      '    server 2025-11-25 d: x: no',
    ]);
  });
});

test('a scenario whose checks were not written to their end has none', () => {
  const output = temporaryFolder();
  const texts = { done: '[{"id":"a","status":"SUCCESS"}]', cut: '[{"id":', empty: '' };
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(join(output, `${name}-2026-01-31T12-00-00-000Z`));
    writeFileSync(join(output, `${name}-2026-01-31T12-00-00-000Z`, 'checks.json'), text);
  }
  const checks = [...readChecks(output, 'client')].map(([name, found]) => [name, found?.length]);
  expect(Object.fromEntries(checks)).toEqual({ done: 1, cut: undefined, empty: undefined });
});

describe('the requirements of the suite', () => {
  test.each([
    ['2025-11-25', 30, 18],
    ['2026-07-28', 37, 32],
  ])('for %s are %i server and %i client scenarios', (revision, server, client) => {
    const required = requirements(revision);
    expect([required.server.length, required.client.length]).toEqual([server, client]);
  });
});

describe('a program of the run', () => {
  test('gives its exit code and output', async () => {
    const script = 'console.log("out"); console.error("err"); process.exitCode = 3';
    expect(await runNode(['-e', script], { deadline: 30_000 })).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  test('is ended at its deadline', async () => {
    const { code } = await runNode(['-e', 'setInterval(() => {}, 1000)'], { deadline: 100 });
    expect(code).toBeUndefined();
  });

  test('is ended with what it started when it is aborted, and then not started at all', async () => {
    const wanted = new AbortController();
    const { signal } = wanted;
    // The inner one would live for ever, and as long as it holds the output open the outer one's is not complete.
    const inner = 'console.log("started"); setInterval(() => {}, 1000)';
    const start = `spawnSync(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`;
    const echo = new PassThrough().once('data', () => wanted.abort(new Error('no longer')));
    const outer = `require('node:child_process').${start}`;
    expect(await runNode(['-e', outer], { deadline: 30_000, signal, echo })).toEqual({
      code: undefined,
      stdout: 'started\n',
      stderr: '',
    });
    expect(() => runNode([], { deadline: 1, signal })).toThrow('no longer');
  });

  test('that listens is known by the URL it prints, and is ended by close', async () => {
    const folder = temporaryFolder();
    const script = join(folder, 'server.mjs');
    writeFileSync(script, 'console.log("http://localhost/" + process.pid); setInterval(() => {}, 1000);');
    const { url, close } = await startServer(script, { deadline: 30_000 });
    const pid = Number(url.slice('http://localhost/'.length));
    await close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');

    writeFileSync(script, 'process.exit(4)');
    await expect(startServer(script, { deadline: 30_000 })).rejects.toThrow('ended with exit code 4');
  });
});
