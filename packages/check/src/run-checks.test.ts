import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { shellWord } from '@hawser/client/shell-word';
import type { StdioTarget } from '@hawser/client/target';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CHECKS } from './all-checks.ts';
import type { Check, Finding } from './check.ts';
import { type ReproductionOptions, reproductionOf } from './reproduction.ts';
import { type Result, runChecks } from './run-checks.ts';
import { Subject } from './subject.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../testing/${name}`, import.meta.url));
const cwd = process.cwd();
const stdio = (...args: string[]): StdioTarget => ({ kind: 'stdio', command: process.execPath, args, env: {}, cwd });
const TIMES = { patience: 5000, grace: 2, startTimeout: 30_000, variables: process.env };

describe('runChecks', () => {
  let subject: Subject;
  beforeAll(async () => {
    subject = new Subject(stdio(pathOf('../../client/testing/trivial-server.mjs')), TIMES);
    expect(await subject.prepare()).toBeUndefined();
  });
  afterAll(() => subject.close());

  const finding: Finding = { seen: 'a', expected: 'b' };
  const checkWith = (id: string, run: Check['run']): Check => ({
    id,
    title: id,
    severity: 'error',
    spec: 'JSON-RPC 2.0 §6 Batch',
    run,
  });

  it('runs a check that fails once more after all others, and only the second result counts', async () => {
    const runs: string[] = [];
    const fails = (id: string, times: number) =>
      checkWith(id, async () => {
        runs.push(id);
        return runs.filter((each) => each === id).length <= times ? finding : undefined;
      });
    const seen: [string, number][] = [];
    const results = await runChecks([fails('twice', 2), fails('once', 1), fails('never', 0)], subject, {
      tools: 'leave',
      cwd,
      onResult: ({ id }, index) => seen.push([id, index]),
    });
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['twice', 'failed'],
      ['once', 'passed'],
      ['never', 'passed'],
    ]);
    expect(runs).toEqual(['twice', 'once', 'never', 'twice', 'once']);
    expect(seen[0]).toEqual(['never', 1]);
    expect(seen.map(([id]) => id).sort()).toEqual(['never', 'once', 'twice']);
  });

  it('runs a check once that fails because of an answer', async () => {
    let runs = 0;
    const wrong = checkWith('wrong', async () => {
      runs += 1;
      return { ...finding, isCertain: true };
    });
    const [result] = await runChecks([wrong], subject, { tools: 'leave', cwd });
    expect(result).toMatchObject({ id: 'wrong', status: 'failed', ...finding });
    expect(result).not.toHaveProperty('isCertain');
    expect(runs).toBe(1);
  });

  it('runs checks of a server on stdio at the same time, each on processes of its own', async () => {
    let arrived = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const wires = new Set<unknown>();
    const meets = (id: string) =>
      checkWith(id, async (lane) => {
        wires.add((await lane.shared()).wire);
        arrived += 1;
        if (arrived === 4) open();
        await gate;
        return undefined;
      });
    const results = await runChecks(['a', 'b', 'c', 'd'].map(meets), subject, { tools: 'leave', cwd });
    expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a passed',
      'b passed',
      'c passed',
      'd passed',
    ]);
    expect(wires.size).toBe(4);
  });

  it('goes on with the shared connection after a check that failed, if the server still answers on it', async () => {
    const wires: unknown[] = [];
    const check = checkWith('fails', async (lane) => {
      const session = await lane.shared();
      wires.push(session.wire);
      await session.ask('hawser/no-such-method', {});
      return finding;
    });
    await runChecks([check], subject, { tools: 'leave', cwd });
    expect(wires).toHaveLength(2);
    expect(wires[0]).toBe(wires[1]);
  });

  it('takes another connection after a check that was not answered', async () => {
    const wires: unknown[] = [];
    const check = checkWith('fails', async (lane) => {
      const session = await lane.shared();
      wires.push(session.wire);
      session.patience = 10;
      await session.answerTo('never asked');
      return finding;
    });
    await runChecks([check], subject, { tools: 'leave', cwd });
    expect(wires[0]).not.toBe(wires[1]);
  });
});

describe('the line that reproduces a finding', () => {
  const bash = async (line: string) => (await promisify(execFile)('bash', ['-c', line])).stdout;

  async function failed(target: StdioTarget, id: string): Promise<Result> {
    const subject = new Subject(target, TIMES);
    try {
      await subject.prepare();
      const checks = ALL_CHECKS.filter((check) => check.id === id);
      const [result] = await runChecks(checks, subject, { tools: 'leave', cwd });
      return result as Result;
    } finally {
      await subject.close();
    }
  }

  it.each([
    ['unknown-method', '"code":-32603', '"code":-32601'],
    ['stdio-last-line', '"id":"request-0"', '"id":"unended"'],
    ['id-unicode', '"id":"request-0"', '"ä'],
  ])('shows %s if it is pasted into a shell', async (id, printed, missing) => {
    const { reproduce = '' } = await failed(stdio(pathOf('bad-server/main.mjs'), 'stdio', id), id);
    expect(reproduce).toMatch(/^\(printf /);
    const out = await bash(reproduce);
    expect(out).toContain(printed);
    expect(out).not.toContain(missing);
  });

  const traffic: ReproductionOptions['traffic'] = { sent: [], http: undefined, sessionIds: [] };
  const line = (given: Partial<ReproductionOptions>) =>
    reproductionOf({ id: 'ping', target: stdio(), traffic, cwd, ...given });

  it('starts the check again if it can not be done by hand', () => {
    const target = { ...stdio('my server.js', "it's"), command: 'node' };
    const command = "node 'my server.js' 'it'\\''s'";
    expect(line({ target })).toBe(`hawser check --stdio ${shellWord(command)} --only ping`);
  });

  it('names the folder and the variables of a configured server, but not their values', () => {
    const target = { ...stdio('a.js'), command: 'node', cwd: '/else where', env: { KEY: 'secret' } };
    const sent = [Buffer.from('{}\n')];
    expect(line({ target })).toBe("cd '/else where' && KEY=… hawser check --stdio 'node a.js' --only ping");
    expect(line({ target, traffic: { ...traffic, sent } })).toBe(
      "(printf '%s\\n' '{}'; sleep 1) | (cd '/else where' && KEY=… node a.js)",
    );
  });

  it('prints bytes that a terminal does not show', async () => {
    const sent = [Buffer.from("\ufeff50 % 'ä' \\n\n"), Buffer.from([0xff, 0x00])];
    const target = { ...stdio(), command: 'cat', args: [] };
    const text = line({ target, traffic: { ...traffic, sent } });
    const { stdout } = await promisify(execFile)('bash', ['-c', text], { encoding: 'buffer' });
    expect(stdout).toEqual(Buffer.concat(sent));
  });

  it('opens a session of its own over HTTP, because that of the check has ended', () => {
    const url = 'http://me:secret@127.0.0.1:1/mcp?api_key=secret';
    const target = { kind: 'http', url, headers: { 'X-Key': 'secret' } } as const;
    const http = { method: 'GET', headers: { 'Mcp-Session-Id': 'abc', Accept: 'text/event-stream' } };
    const text = line({ target, traffic: { ...traffic, http, sessionIds: ['abc'] } });
    expect(text).toMatch(
      /^S=\$\(curl -s -D - -o \/dev\/null -H 'X-Key: …' .*"method":"initialize".*\); curl -i -X GET /,
    );
    expect(text).toContain('-H "Mcp-Session-Id: $S"');
    expect(text).not.toContain('abc');
    expect(text).not.toContain('secret');
    expect(line({ target })).toBe(
      "hawser check --url 'http://127.0.0.1:1/mcp?api_key=…' --header 'X-Key: …' --only ping",
    );
  });
});
