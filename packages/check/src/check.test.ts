import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Target, urlTarget } from '@hawser/client/target';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveOlder } from '../testing/older-http-server.ts';
import { ALL_CHECKS, CHECK_GROUPS } from './all-checks.ts';
import type { Check, Need } from './check.ts';
import { httpRequestChecks } from './checks/http-requests.ts';
import { httpStreamChecks } from './checks/http-streams.ts';
import { subscriptionChecks } from './checks/subscriptions.ts';
import { toolChecks } from './checks/tools.ts';
import { type Result, runChecks } from './run-checks.ts';
import { addressOf } from './specification.ts';
import { Subject } from './subject.ts';

// Servers are started many times, on a machine that may be busy.
vi.setConfig({ maxConcurrency: 20 });

// Silence is rare, so patience costs little; the bad server answers in order, so nothing is late.
const TIMES = { patience: 5000, grace: 2, startTimeout: 30_000, variables: process.env };
/** Runs every check of a group for each rule, not only the one that must fail: `npm run test:real -- checks`. */
const isThorough = process.env.THOROUGH === '1';
const pathOf = (name: string) => fileURLToPath(new URL(`../testing/${name}`, import.meta.url));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

/** The first line that a server prints. */
async function start(...args: string[]): Promise<string> {
  // Our own servers report on stderr what their tools throw.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  return line;
}

function stdio(...args: string[]): Target {
  return { kind: 'stdio', command: process.execPath, args, env: {}, cwd: process.cwd() };
}

async function run(target: Target, checks: readonly Check[], times = TIMES): Promise<Result[]> {
  const subject = new Subject(target, times);
  try {
    expect(await subject.prepare()).toBeUndefined();
    return await runChecks(checks, subject, { tools: 'call', cwd: process.cwd() });
  } finally {
    await subject.close();
  }
}

const failures = (results: readonly Result[]) =>
  results.filter(({ status }) => status === 'failed').map(({ id, seen, expected }) => ({ id, seen, expected }));

const needs = (check: Check, need: Need) => check.needs?.includes(need) === true;
const stdioChecks = ALL_CHECKS.filter((check) => needs(check, 'stdio'));
const otherChecks = ALL_CHECKS.filter((check) => !needs(check, 'stdio'));
const checkOf = (id: string) => ALL_CHECKS.filter((check) => check.id === id);

/** Where the bad server is asked to break a rule. */
function placeOf(check: Check): string {
  if (!needs(check, 'http')) return `ws:${check.id}`;
  if (WITHOUT_SESSIONS.includes(check.id)) return `http:${check.id}?stateless`;
  const isStreaming =
    httpStreamChecks.includes(check) || httpRequestChecks.includes(check) || check.id === 'http-events';
  return `http:${check.id}${isStreaming ? '?sse' : ''}`;
}
const WITHOUT_SESSIONS = ['stateless-header-version-missing', 'stateless-http-get', 'stateless-http-delete'];

describe('each check', () => {
  it('has an id of its own, and names the revision and section of its rule', () => {
    expect(new Set(ALL_CHECKS.map(({ id }) => id)).size).toBe(ALL_CHECKS.length);
    for (const { id, spec } of ALL_CHECKS) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(addressOf(spec), spec).toMatch(/^https:/);
    }
  });
});

describe('on a server that breaks one rule, exactly its check fails', () => {
  let address: string;
  beforeAll(async () => {
    address = await start(pathOf('bad-server/main.mjs'), 'serve');
  });
  const targetOf = (where: string) => urlTarget(where.replace(':', `://${address}/`), {});

  it.concurrent.each(['ws:none', 'http:none', 'http:none?sse', 'http:none?stateless'])(
    'none at %s, which breaks no rule',
    async (where) => {
      expect(failures(await run(targetOf(where), otherChecks))).toEqual([]);
    },
  );

  const rules = CHECK_GROUPS.flatMap((group) =>
    group.filter((check) => !needs(check, 'stdio')).map((check) => ({ where: placeOf(check), check, group })),
  );
  it.concurrent.each(rules)('at $where', async ({ where, check, group }) => {
    const checks = isThorough ? group.filter((each) => !needs(each, 'stdio')) : [check];
    const failed = failures(await run(targetOf(where), checks));
    expect(failed.map(({ id }) => id)).toEqual([check.id]);
  });

  it.concurrent.each(stdioChecks.map(({ id }) => id))('%s over stdio, where no other check is run', async (rule) => {
    // The start of a process is added to it; what is never answered is waited for twice.
    const times = { ...TIMES, patience: 1500 };
    const results = await run(stdio(pathOf('bad-server/main.mjs'), 'stdio', rule), checkOf(rule), times);
    expect(failures(results).map(({ id }) => id)).toEqual([rule]);
  });
});

describe('our own server passes every check', () => {
  it.concurrent.each(['ws', 'http', 'sse', 'sessionless'])('over %s', async (mode) => {
    const target = urlTarget(await start(pathOf('good-server.mjs'), mode), {});
    expect(failures(await run(target, otherChecks))).toEqual([]);
  });

  it.concurrent.each(['2025-03-26', '2025-06-18'])(
    'over HTTP as a server that knows no revision after %s',
    async (newest) => {
      const older = await serveOlder(await start(pathOf('good-server.mjs'), 'sse'), newest);
      try {
        expect(failures(await run(urlTarget(older.url, {}), otherChecks))).toEqual([]);
      } finally {
        older.close();
      }
    },
  );

  it('over stdio', async () => {
    // Most checks start a process each, and what they look at is the same as over WebSocket.
    const checks = isThorough ? ALL_CHECKS : stdioChecks;
    expect(failures(await run(stdio(pathOf('good-server.mjs'), 'stdio'), checks))).toEqual([]);
  });

  it('on stdio although it takes longer to start than the check waits for an answer', async () => {
    // The arguments of `node -e` follow the code.
    const code = `setTimeout(() => import(${JSON.stringify(pathToFileURL(pathOf('good-server.mjs')))}), 3000)`;
    const checks = [
      'stateless-and-sessions',
      'ping-before-initialized',
      'roots-undeclared',
      'stdio-stdout',
      'stdio-exit-at-once',
    ];
    const starting = [...subscriptionChecks, ...checks.flatMap(checkOf)];
    const results = await run(stdio('-e', code, 'good-server', 'stdio'), starting, { ...TIMES, patience: 2000 });
    expect(failures(results)).toEqual([]);
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
