import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { machineName } from '@hawser/user-files/machine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, connectAgent } from '../../testing/agent.ts';
import { PROGRAM } from '../../testing/program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const ROUNDS = 8;
const SEED = 42;
const DYING = fileURLToPath(new URL('../../testing/die-at.cjs', import.meta.url));

let home: string;
let workspace: string;
let children: ChildProcess[];
let agents: Agent[];

beforeEach(() => {
  home = temporaryFolder();
  workspace = join(home, 'work');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.ts'), 'one\n');
  [children, agents] = [[], []];
});

afterEach(async () => {
  for (const agent of agents) agent.close();
  for (const child of children) await ended(child, 'SIGKILL');
});

/** `variables` say at which of its steps it dies: see die-at.cjs. */
function launch(variables: Readonly<Record<string, string>> = {}): ChildProcess {
  const args = ['serve', '--headless', '--agents', 'claude-code,jetbrains', '--log-file', '/dev/null'];
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...variables };
  const child = spawn(process.execPath, ['--require', DYING, PROGRAM, ...args], { cwd: workspace, env });
  children.push(child);
  return child;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

interface Started {
  readonly child: ChildProcess;
  /** Of each adapter. */
  readonly addresses: readonly string[];
  readonly locks: readonly string[];
}

/** Also when it dies before. */
async function listening(child: ChildProcess): Promise<void> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) if (line.startsWith('hawser: listening on')) break;
}

async function start(variables?: Readonly<Record<string, string>>): Promise<Started> {
  const child = launch(variables);
  await listening(child);
  const asked = spawn(process.execPath, [PROGRAM, 'status', '--json', '--bridge', String(child.pid)], {
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: home },
  });
  const { agents: adapters } = JSON.parse(await text(asked.stdout));
  return {
    child,
    addresses: adapters.map(({ endpoints }: { endpoints: string[] }) => endpoints[0]),
    locks: adapters.map(({ discoveryFiles }: { discoveryFiles: string[] }) => discoveryFiles[0]),
  };
}

const tokenIn = (lock: string) => JSON.parse(readFileSync(lock, 'utf8')).authToken as string;
const identityOf = ({ addresses, locks }: Started) => [...addresses, ...locks, ...locks.map(tokenIn)];

/** Every file and folder that is there because of us. */
function leftovers(): string[] {
  const all = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => /\.(lock|tmp)$|^work\/\.claude-code/.test(path)).sort();
}

async function agentOf({ addresses, locks }: Started): Promise<Agent> {
  const agent = await connectAgent(addresses[0] ?? '', tokenIn(locks[0] ?? ''));
  agents.push(agent);
  await agent.initialize();
  await agent.settled();
  return agent;
}

/** That it is as if nothing had ever happened. */
async function expectClean(started: Started): Promise<void> {
  const inHome = (path: string) => path.slice(home.length + 1);
  const expected = [...started.locks.map(inHome), 'work/.claude-code', 'work/.claude-code/.gitignore'].sort();
  // The sweep comes after the line.
  await expect.poll(() => leftovers()).toEqual(expected);
  for (const lock of started.locks) {
    expect([statSync(lock).mode & 0o777, statSync(dirname(lock)).mode & 0o777]).toEqual([0o600, 0o700]);
  }
  const state = join(home, '.local', 'state', 'hawser');
  expect(statSync(state).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(state)) expect(statSync(join(state, name)).mode & 0o077, name).toBe(0);
  expect(await (await agentOf(started)).call('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
}

/** How many steps a bridge takes that starts and ends. */
async function countSteps(): Promise<{ readonly start: number; readonly end: number }> {
  const file = join(home, 'steps');
  const { child } = await start({ STEPS_FILE: file });
  await ended(child, 'SIGTERM');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Numbers below `end`, the same ones for the same seed. */
function randomFrom(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * end);
  };
}

describe('a bridge killed with -9', () => {
  it('at any moment of its start or its end, or amid open diffs, comes back as it was and leaves nothing', async () => {
    const random = randomFrom(SEED);
    const steps = await countSteps();
    expect(Math.min(steps.start, steps.end)).toBeGreaterThan(3);
    let running = await start();
    const identity = identityOf(running);
    await expectClean(running);

    for (let round = 0; round < ROUNDS; round += 1) {
      const diesAt = `start:${1 + random(steps.start)}`;
      if (round % 2 === 0) {
        const agent = await agentOf(running);
        const path = join(workspace, 'a.ts');
        const diff = { old_file_path: path, new_file_path: path, new_file_contents: 'two\n' };
        for (const tab_name of ['a', 'b', 'c']) void agent.call('openDiff', { ...diff, tab_name }).catch(() => {});
        await agent.settled();
        await ended(running.child, 'SIGKILL');
      } else {
        await ended(running.child, 'SIGTERM');
      }
      const unlucky = launch({ DIE_AT: diesAt });
      await listening(unlucky);
      await ended(unlucky, 'SIGKILL');
      running = await start({ DIE_AT: `end:${1 + random(steps.end)}` });
      expect(identityOf(running), `seed ${SEED}, round ${round}: died at ${diesAt}`).toEqual(identity);
      await expectClean(running);
    }
    await ended(running.child, 'SIGKILL');
    running = await start();
    expect(readFileSync(join(workspace, 'a.ts'), 'utf8')).toBe('one\n');
    await ended(running.child, 'SIGTERM');
    expect(leftovers()).toEqual([]);
  });

  it('as one of two in a workspace, leaves locks that the next start clears, in either dialect', async () => {
    const both = [await start(), await start()];
    expect(new Set(both.flatMap(identityOf)).size).toBe(12);
    await Promise.all(both.map(({ child }) => ended(child, 'SIGKILL')));
    // Those of the second at least; it may have lived to clear up after the first.
    expect(leftovers().length).toBeGreaterThanOrEqual(3);
    const again = await start();
    expect(identityOf(again)).not.toContain(undefined);
    expect(again.addresses).toEqual(both[0]?.addresses);
    await expectClean(again);
  });

  it('while it writes, leaves half-written files that the next start clears', async () => {
    const [state, ide] = [join(home, '.local', 'state', 'hawser'), join(home, '.claude', 'ide')];
    const gone = launch();
    await ended(gone, 'SIGKILL');
    for (const [folder, name] of [
      [state, '.identity-0123456789abcdef0123456789abcdef.json'],
      [ide, '.40123.lock'],
      [join(workspace, '.claude-code'), '.40123.json'],
    ] as const) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, `${name}.${machineName()}-${gone.pid}-0123456789ab.tmp`), 'half');
    }
    const running = await start();
    await expectClean(running);
    await ended(running.child, 'SIGTERM');
    expect(leftovers()).toEqual([]);
  });
});
