import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Target, urlTarget } from '../client/target.ts';
import { ALL_CHECKS } from './all-checks.ts';
import type { Check } from './check.ts';
import { toolChecks } from './checks/tools.ts';
import { type Result, runChecks } from './run-checks.ts';
import { Subject } from './subject.ts';

// Servers are started many times, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// Silence is rare, so patience costs little; the bad server answers in order, so nothing is late.
const TIMES = { patience: 5000, grace: 2, startTimeout: 30_000, variables: process.env };
const pathOf = (name: string) => fileURLToPath(new URL(`../../testing/${name}`, import.meta.url));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

/** The first line that a server prints. */
async function start(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  return line;
}

function stdio(...args: string[]): Target {
  return { kind: 'stdio', command: process.execPath, args, env: {}, cwd: process.cwd() };
}

async function run(target: Target, checks: readonly Check[]): Promise<Result[]> {
  const subject = new Subject(target, TIMES);
  try {
    expect(await subject.prepare()).toBeUndefined();
    return await runChecks(checks, subject, { tools: 'call' });
  } finally {
    await subject.close();
  }
}

const failures = (results: readonly Result[]) =>
  results.filter(({ status }) => status === 'failed').map(({ id, seen, expected }) => ({ id, seen, expected }));

const needs = (check: Check, need: 'stdio' | 'http') => check.needs?.includes(need) === true;
const stdioChecks = ALL_CHECKS.filter((check) => needs(check, 'stdio'));
const httpChecks = ALL_CHECKS.filter((check) => needs(check, 'http'));
const messageChecks = ALL_CHECKS.filter((check) => !needs(check, 'stdio') && !needs(check, 'http'));
const otherChecks = [...messageChecks, ...httpChecks];

describe('each check', () => {
  it('has an id of its own, and names the revision and section of its rule', () => {
    expect(new Set(ALL_CHECKS.map(({ id }) => id)).size).toBe(ALL_CHECKS.length);
    for (const { id, spec } of ALL_CHECKS) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(spec).toMatch(/^(JSON-RPC 2\.0 §|20\d\d-\d\d-\d\d [A-Z])/);
    }
  });
});

describe('on a server that breaks one rule, exactly its check fails', () => {
  let address: string;
  beforeAll(async () => {
    address = await start(pathOf('bad-server/main.mjs'), 'serve');
  });
  const url = (rule: string, scheme: string) => urlTarget(`${scheme}://${address}/${rule}`, {});

  it.concurrent.each(['ws', 'http'])('none over %s, if it breaks no rule', async (scheme) => {
    expect(failures(await run(url('none', scheme), otherChecks))).toEqual([]);
  });

  it.concurrent.each(messageChecks.map(({ id }) => id))('%s over ws', async (rule) => {
    expect(failures(await run(url(rule, 'ws'), messageChecks)).map(({ id }) => id)).toEqual([rule]);
  });

  it.concurrent.each(httpChecks.map(({ id }) => id))('%s over http', async (rule) => {
    expect(failures(await run(url(rule, 'http'), httpChecks)).map(({ id }) => id)).toEqual([rule]);
  });

  it.concurrent.each(['none', ...stdioChecks.map(({ id }) => id)])(
    '%s over stdio, where no other check is run',
    async (rule) => {
      const checks = stdioChecks.filter(({ id }) => id === rule || rule === 'none');
      const results = await run(stdio(pathOf('bad-server/main.mjs'), 'stdio', rule), checks);
      expect(failures(results).map(({ id }) => id)).toEqual(rule === 'none' ? [] : [rule]);
    },
  );
});

describe('our own server passes every check', () => {
  it.concurrent.each(['ws', 'http', 'sse', 'sessionless'])('over %s', async (mode) => {
    const target = urlTarget(await start(pathOf('good-server.mjs'), mode), {});
    expect(failures(await run(target, otherChecks))).toEqual([]);
  });

  it('over stdio', async () => {
    expect(failures(await run(stdio(pathOf('good-server.mjs'), 'stdio'), ALL_CHECKS))).toEqual([]);
  });

  it('as examples/echo on stdio', async () => {
    const echo = stdio(pathOf('../../../examples/echo/echo.mjs'), 'stdio');
    expect(failures(await run(echo, [...stdioChecks, ...toolChecks]))).toEqual([]);
  });

  it('as the server of the edge cases', async () => {
    const url = await start(pathOf('../../../test/fixtures/edge-server.mjs'), 'ws');
    expect(failures(await run(urlTarget(url, {}), otherChecks))).toEqual([]);
  });
});
