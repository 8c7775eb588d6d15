import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientGroups, type Group, serverGroups } from '../../scripts/conformance/groups.mjs';
import { counts } from '../../scripts/conformance/report.mjs';

describe('the official conformance suite', () => {
  let groups: Group[] = [];
  const wanted = new AbortController();

  beforeAll(async () => {
    const { signal } = wanted;
    groups = (await Promise.all([serverGroups({ signal }), clientGroups({ signal })])).flat();
  }, 600_000);

  // Nothing may be left running when it took too long.
  afterAll(() => wanted.abort(new Error('The test is over')));

  function group(kind: string, revision: string): Group {
    const found = groups.find((candidate) => candidate.kind === kind && candidate.revision === revision);
    if (found === undefined) throw new Error(`Nothing was run for ${kind} ${revision}`);
    return found;
  }

  test.each([
    ['server', '2025-03-26', 1],
    ['server', '2025-06-18', 27],
    ['server', '2025-11-25', 30],
    ['server', '2026-07-28', 37],
    ['tasks', '2026-07-28', 9],
    ['client', '2025-03-26', 2],
    ['client', '2025-11-25', 18],
    ['client', '2026-07-28', 32],
  ])('%s %s passes all %i required scenarios without a warning', (kind, revision, required) => {
    const scenarios = group(kind, revision);
    const findings = scenarios.required.flatMap(({ scenario, failures, warnings }) =>
      [...failures, ...warnings].map(({ id, message }) => `${scenario}: ${id}: ${message}`),
    );
    expect(findings).toEqual([]);
    expect(counts(scenarios)).toEqual({ required, passed: required, failed: 0 });
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'client %s passes the six extensions of OAuth without a warning',
    (revision) => {
      const extensions = group('client', revision).notScored.filter(({ scenario }) => scenario.startsWith('auth/'));
      expect(extensions.map(({ scenario, outcome, warnings }) => [scenario, outcome, warnings])).toEqual(
        [
          'auth/client-credentials-jwt',
          'auth/client-credentials-basic',
          'auth/enterprise-managed-authorization',
          'auth/dpop',
          'auth/dpop-nonce',
          'auth/wif-jwt-bearer',
        ].map((scenario) => [scenario, 'passed', []]),
      );
    },
  );
});
