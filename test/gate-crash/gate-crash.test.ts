import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parsePatch } from '../../packages/bridge/src/agents/gate-parts/patch.ts';
import type { ControlClient } from '../../packages/bridge/src/control/control-client.ts';
import { findBridges } from '../../packages/bridge/src/control/find.ts';
import { Household, type ServedBridge } from '../../packages/bridge/testing/program.ts';

const ROUNDS = Number(process.env.HAWSER_ROUNDS ?? 24);
const SEED = Number(process.env.HAWSER_SEED ?? 7);
const AT_ONCE = 2;
const DYING = fileURLToPath(new URL('../../packages/bridge/testing/die-at.cjs', import.meta.url));

const OLD = 'one\ntwo\nthree\nfour\nfive\n';
const NEW = 'ONE\ntwo\nthree\nfour\nFIVE\n';
const FIRST_HUNK = 'ONE\ntwo\nthree\nfour\nfive\n';

type Choice = 'accept' | 'accept in part' | 'reject' | 'nothing';
const CHOICES: readonly Choice[] = ['accept', 'accept in part', 'reject', 'nothing'];
const VICTIMS = ['bridge', 'hook', 'both'] as const;

interface AgentOfRound {
  readonly name: string;
  readonly input: (path: string) => object;
  /** The text that the agent writes after this answer. */
  readonly written: (updated: Readonly<Record<string, string>>) => unknown;
}

const call = (tool_name: string, tool_input: object) => ({
  session_id: 's',
  tool_name,
  tool_input,
  permission_mode: 'yolo',
});
const patch = (path: string) =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-one\n+ONE\n two\n@@\n four\n-five\n+FIVE\n*** End Patch\n`;
/** An agent whose tool gets a path and the whole text. */
const writer = (name: string, tool: string, path: string, text: string): AgentOfRound => ({
  name,
  input: (file) => call(tool, { [path]: file, [text]: NEW }),
  written: (input) => input[text],
});
const AGENTS: readonly AgentOfRound[] = [
  writer('claude-code', 'Write', 'file_path', 'content'),
  writer('gemini-cli', 'write_file', 'file_path', 'content'),
  writer('copilot-cli', 'Write', 'path', 'file_text'),
  writer('qwen-code', 'write_file', 'file_path', 'content'),
  writer('opencode', 'write', 'filePath', 'content'),
  {
    name: 'codex',
    input: (path) => call('apply_patch', { command: patch(path) }),
    written: ({ command = '' }) => parsePatch(command)[0]?.apply(OLD),
  },
];

/** For die-at.cjs. */
type Variables = Readonly<Record<string, string>>;

/** Numbers below `end`, the same ones for the same seed. */
function randomFrom(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * end);
  };
}

/** A workspace with a bridge that is started again after its death, and a user who decides as told. */
class Victims {
  readonly house = new Household();
  /** What each file may contain: what is written late counts, too. */
  readonly #files = new Map<string, readonly string[]>();
  /** What the user does with the next proposal. */
  choice: Choice = 'nothing';
  #bridge: ServedBridge | undefined;
  #client: ControlClient | undefined;

  constructor() {
    this.house.moreEnv.NODE_OPTIONS = `--require ${JSON.stringify(DYING)}`;
  }

  /** A file of its own for a round. */
  file(texts: readonly string[]): string {
    const path = join(this.house.workspace, `${this.#files.size}.txt`);
    this.#files.set(path, texts);
    writeFileSync(path, OLD);
    return path;
  }

  checkFiles(): void {
    for (const [path, texts] of this.#files) expect(texts).toContain(readFileSync(path, 'utf8'));
  }

  /** Starts a program with variables for die-at.cjs. */
  launch<T>(variables: Variables, start: (house: Household) => T): T {
    Object.assign(this.house.moreEnv, variables);
    const started = start(this.house);
    for (const name of Object.keys(variables)) delete this.house.moreEnv[name];
    return started;
  }

  /** With variables, it is a new bridge, which counts its steps from now on. */
  async start(variables: Variables | undefined): Promise<void> {
    if (variables !== undefined) await this.end();
    if (this.#bridge !== undefined) return;
    const bridge = await this.launch(variables ?? {}, (house) => house.serve('--agents', 'mcp', '--noticing', 'off'));
    this.#bridge = bridge;
    const { home } = this.house;
    const { bridges } = await findBridges({
      stateFolder: join(home, '.local', 'state', 'hawser'),
      temporaryFolder: home,
    });
    const found = bridges.find(({ status }) => status.pid === bridge.child.pid);
    this.#client = found?.client;
    await this.#client?.attach(
      {
        name: 'user',
        show: ({ decide, proposal: { revision } }) => {
          if (this.choice === 'accept') void decide({ kind: 'accepted' }, revision);
          if (this.choice === 'accept in part') void decide({ kind: 'accepted', hunks: [0] }, revision);
          if (this.choice === 'reject') void decide({ kind: 'rejected' }, revision);
        },
      },
      () => {},
    );
    if (variables === undefined) return;
    bridge.child.kill('SIGUSR2');
    await bridge.logs('counts its steps');
  }

  async end(): Promise<void> {
    const bridge = this.#bridge?.child;
    this.#bridge = undefined;
    if (bridge === undefined) return;
    bridge.kill('SIGTERM');
    if (bridge.exitCode === null && bridge.signalCode === null) await once(bridge, 'exit');
    await this.#client?.close().catch(() => undefined);
  }
}

interface Round {
  readonly agent: AgentOfRound;
  readonly choice: Choice;
  /** Undefined if it is not disturbed. */
  readonly bridge: Variables | undefined;
  readonly hook: Variables | undefined;
}

/** Returns how the hook ended. */
async function play({ agent, choice, ...variables }: Round, victims: Victims): Promise<string> {
  await victims.start(variables.bridge);
  victims.choice = choice;
  const accepted = choice === 'accept' ? NEW : choice === 'accept in part' ? FIRST_HUNK : OLD;
  // The bridge writes only for an agent that does not.
  const path = victims.file(agent.name === 'qwen-code' ? [OLD, accepted] : [OLD]);
  // Without a decision the hook keeps waiting; without a bridge it acts as one, and nobody decides there.
  const isDisturbed = (variables.bridge ?? variables.hook)?.DIE_AT !== undefined;
  const limit = isDisturbed ? ['--limit', choice === 'nothing' ? '1' : '5'] : [];
  const hook = victims.launch(variables.hook ?? {}, (house) => house.start(['gate', 'hook', agent.name, ...limit]));
  let out = '';
  hook.stdout?.on('data', (data) => {
    out += data;
  });
  const ended = once(hook, 'close');
  hook.stdin?.on('error', () => {});
  hook.stdin?.end(JSON.stringify({ ...agent.input(path), cwd: victims.house.workspace }));
  const [code, signal] = await ended;
  if (variables.bridge !== undefined) await victims.end();

  victims.checkFiles();
  if (code !== 0 || out === '') return `no answer (${signal ?? code})`;
  // Whole, or not at all.
  const answer = JSON.parse(out);
  const { permissionDecision, updatedInput, tool_input = updatedInput } = answer.hookSpecificOutput ?? {};
  if ((permissionDecision ?? answer.decision) === 'deny') return 'refused';
  expect(permissionDecision ?? answer.decision).toBe('allow');
  expect(choice).toMatch(/^accept/);
  expect(agent.written(tool_input)).toBe(accepted);
  return 'allowed';
}

/** How many steps the bridge and a hook take for a call. */
async function countSteps(): Promise<{ readonly bridge: number; readonly hook: number }> {
  const victims = new Victims();
  try {
    const [bridge, hook] = [join(victims.house.home, 'bridge'), join(victims.house.home, 'hook')];
    const agent = AGENTS.find(({ name }) => name === 'qwen-code') as AgentOfRound;
    await play({ agent, choice: 'accept', bridge: { STEPS_FILE: bridge }, hook: { STEPS_FILE: hook } }, victims);
    return {
      bridge: JSON.parse(readFileSync(bridge, 'utf8')).call,
      hook: JSON.parse(readFileSync(hook, 'utf8')).start,
    };
  } finally {
    await victims.house.dispose();
  }
}

it('killed between a call and its answer, the agent writes nothing that was not accepted', {
  timeout: 1_800_000,
}, async () => {
  const random = randomFrom(SEED);
  const steps = await countSteps();
  expect(Math.min(steps.bridge, steps.hook)).toBeGreaterThan(5);
  const rounds = Array.from({ length: ROUNDS }, (_, nth): Round => {
    const agent = AGENTS[nth % AGENTS.length] as AgentOfRound;
    // Some are not disturbed, so that both answers are given.
    if (nth % 8 < 2) return { agent, choice: nth % 8 === 0 ? 'accept' : 'reject', bridge: undefined, hook: undefined };
    const [choice = 'nothing', victim = 'bridge'] = [CHOICES[random(CHOICES.length)], VICTIMS[random(VICTIMS.length)]];
    return {
      agent,
      choice,
      bridge: victim === 'hook' ? undefined : { DIE_AT: `call:${1 + random(steps.bridge)}` },
      hook: victim === 'bridge' ? undefined : { DIE_AT: `start:${1 + random(steps.hook)}` },
    };
  });
  const ends = new Map<string, number>();
  const work = async () => {
    const victims = new Victims();
    try {
      for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
        const end = await play(round, victims).catch((error: unknown) => {
          throw new Error(`Seed ${SEED}: ${JSON.stringify({ ...round, agent: round.agent.name })}`, { cause: error });
        });
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    } finally {
      await victims.end();
      await victims.house.dispose();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(Object.fromEntries(ends));
  expect(ends.get('allowed') ?? 0).toBeGreaterThan(0);
  expect(ends.get('refused') ?? 0).toBeGreaterThan(0);
});
