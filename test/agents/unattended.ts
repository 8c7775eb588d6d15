import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Household, temporaryHousehold } from '../../packages/bridge/testing/program.ts';
import { END } from './gated.ts';
import { install } from './install.ts';
import { TEXT } from './lines.ts';
import type { RealAgent } from './real-agent.ts';
import { ScriptedModel } from './scripted-model.ts';
import type { Turn } from './turn.ts';

export interface UnattendedAgent {
  readonly agent: RealAgent;
  readonly env: Readonly<Record<string, string>>;
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** Runs an agent without a terminal, a model that plays these turns, and a gate with these options. */
export async function runUnattended(
  { agent, env }: UnattendedAgent,
  { program, house, model }: { readonly program: string; readonly house: Household; readonly model: ScriptedModel },
  words: readonly string[],
  turns: readonly Turn[],
  ...gate: readonly string[]
): Promise<Run> {
  model.script([...turns, { say: END }]);
  const { home, workspace } = house;
  const own = agent.start({ home, workspace, modelUrl: model.url });
  expect(await house.run('gate', 'on', agent.name, '--yes', ...gate)).toMatchObject({ code: 0 });
  const child = spawn(program, words, {
    cwd: workspace,
    env: { ...house.env, ...own.env, ...env, HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, as in a terminal: Ctrl-C reaches everything that it has started.
    detached: true,
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => printed.push(String(data)));
  const ended = once(child, 'exit');
  // An agent that has not played its script says why.
  void ended.then(() => model.received.length <= turns.length && console.log(printed.join('')));
  return { child, ended };
}

/** Ends what is left of an agent and what it has started. */
export function endGroup({ child: { pid } }: Run): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}

/** For each test of this block: a repository with a.txt, a bridge with these options, and a model. Agents end with the test. */
export function unattended(subject: UnattendedAgent, ...serveOptions: string[]) {
  let program: string;
  let house: Household;
  let model: ScriptedModel;
  let bridge: ChildProcess;
  const runs: Run[] = [];
  const path = () => join(house.workspace, 'a.txt');

  beforeAll(async () => {
    program = await install(subject.agent);
  }, 600_000);
  beforeEach(async () => {
    house = temporaryHousehold();
    model = await ScriptedModel.open();
    writeFileSync(path(), TEXT);
    await once(spawn('git', ['init', '--quiet', house.workspace]), 'exit');
    ({ child: bridge } = await house.serve(...serveOptions));
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) endGroup(run);
    await model.close();
  });

  return {
    house: () => house,
    model: () => model,
    bridge: () => bridge,
    path,
    text: () => readFileSync(path(), 'utf8'),
    /** What the model has read after its call. */
    told: () => model.received.at(-1) ?? '',
    start: async (words: readonly string[], turns: readonly Turn[], ...gate: readonly string[]): Promise<Run> => {
      const run = await runUnattended(subject, { program, house, model }, words, turns, ...gate);
      runs.push(run);
      return run;
    },
    /** The id of the first open proposal, when there is one. */
    proposal: async (): Promise<string> => {
      for (;;) {
        const { code, out } = await house.run('review', '--list', '--json');
        const [first] = code === 0 ? JSON.parse(out) : [];
        if (first !== undefined) return first.id;
      }
    },
  };
}
