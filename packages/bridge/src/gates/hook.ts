import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { messageOf } from '@hawser/unknown-values/thrown';
import { realFolders } from '@hawser/user-files/real-folders';
import { AGENTS } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import { serving } from '../command-line/running-bridge.ts';
import { PROTOCOL } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { type FoundBridge, findBridges } from '../control/find.ts';
import {
  type AboutCall,
  type Gate,
  type GateCall,
  HOOK_SECONDS,
  type HookOptions,
  type HookOutput,
  PROMPT_SECONDS,
  UNREPLACED,
} from '../gate.ts';

export interface HookFlags {
  /** Seconds. */
  readonly limit?: number;
  readonly shell?: HookOptions['shell'];
  readonly guard?: true;
}

/** Before the agent's own limit: it runs the tool when that is reached. */
const MARGIN_SECONDS = 60;
/** For the bridge to answer a call in slices. */
const SLICE_MARGIN_SECONDS = 10;
const LOOK_AT_PARENT_MS = 500;
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
/** What agents take for a refusal when the hook can't say it in their words. */
const REFUSED = 2;
const NOT_CHANGED =
  "Hawser's gate blocks changes until the user has decided, so nothing was changed. Tell the user; do not make this change in another way.";
const NOT_KEPT =
  'What this command changed in the project is not kept: the files are as before it. Tell the user; do not make these changes in another way.';
const STATES = {
  running:
    'This command still runs. What it changes in the project is held: the user reviews it after the first command that ends after it.',
  failed:
    'This command was not run: the sandbox of this session does not let Hawser hold what it changes. Make exactly the same call again: the user is asked about it.',
};
const GUARDED =
  "is part of Hawser's gate, which the user has told to guard it. Nothing was changed. Tell the user; do not change it in another way.";
const NOTHING: HookOutput = { stdout: '', exitCode: ExitCode.ok };

/**
 * The hook that an agent runs before it changes something. Prints the user's decision in the agent's words. Whatever goes
 * wrong, the answer is a refusal.
 */
export async function runHook(name: string, flags: HookFlags, environment: Environment): Promise<void> {
  const gate = await gateOf(name);
  const ending = new AbortController();
  environment.onSignal((_signal, code) => {
    ending.abort(new CommandFailed(code, ''));
    return 'exiting';
  });
  const timer = setTimeout(
    () => ending.abort(new Error('Nobody decided in time')),
    Math.min(flags.limit ?? Infinity, agentSeconds(gate)) * 1000,
  );
  // Some agents end without a word to their hooks, and nobody waits for the answer then.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) ending.abort(new CommandFailed(ExitCode.failed, ''));
  }, LOOK_AT_PARENT_MS);
  try {
    print(await answered(name, gate, flags, ending.signal, environment), environment);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    process.stdin.destroy();
  }
}

async function answered(
  name: string,
  gate: Gate,
  { shell, guard }: HookFlags,
  signal: AbortSignal,
  environment: Environment,
): Promise<HookOutput> {
  let bridge: HookBridge | undefined;
  let refuse = (problem: string) => gate.refuse(`${problem}. ${NOT_CHANGED}`);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  try {
    const input = JSON.parse(await Promise.race([readInput(), aborted]));
    const folder = typeof input?.cwd === 'string' ? input.cwd : environment.cwd;
    if (gate.isPrompt?.(input)) return await promptGiven(name, folder, environment);
    const other = gate.ranBy?.(input);
    if (other !== undefined && (await isOn(other, folder, environment))) return NOTHING;
    const own = other === undefined ? gate : await gateOf(other);
    const call = own.read(input);
    // What needs no decision needs no bridge.
    if (call.kind === 'ignored') return NOTHING;
    if (call.kind === 'answered') return call.output;
    const { holding } = own;
    if (call.kind === 'ran' && holding !== undefined) {
      refuse = (problem) => holding.tell(input, `${problem}. ${NOT_KEPT}`);
    }
    if (guard && call.kind !== 'ran') {
      const { guardedFile } = await import('./guard.ts');
      const file = await guardedFile(call, folder, environment);
      if (file !== undefined) return gate.refuse(`${file} ${GUARDED}`);
    }
    const held = await heldCall(other ?? name, own, call, input, shell, environment);
    if ('output' in held) return held.output;
    bridge = await Promise.race([bridgeOf(folder, signal, environment), aborted]);
    return await Promise.race([bridge.control.answerHook(other ?? name, input, held), aborted]);
  } catch (error) {
    // The agent ended it, and waits for no answer.
    if (CommandFailed.is(error)) throw error;
    return refuse(messageOf(error));
  } finally {
    await bridge?.close().catch(() => undefined);
  }
}

function agentSeconds({ slices }: Gate): number {
  return slices === undefined ? HOOK_SECONDS - MARGIN_SECONDS : slices.seconds + SLICE_MARGIN_SECONDS;
}

async function gateOf(name: string): Promise<Gate> {
  const agent = AGENTS.find((each) => each.name === name);
  if (agent?.gate === undefined) throw new CommandFailed(REFUSED, `Hawser has no gate for ${name}`);
  return await agent.gate();
}

/** Whether an agent has a hook of its own that asks. */
async function isOn(name: string, folder: string, environment: Environment): Promise<boolean> {
  const { gatesOn } = await import('./gates.ts');
  return (await gatesOn(folder, environment)).includes(name);
}

/** A turn begins: what changes from now on can be reviewed after it. Never refuses the prompt. */
async function promptGiven(name: string, folder: string, environment: Environment): Promise<HookOutput> {
  const chosen = await bridgeAround(folder, environment).catch(() => undefined);
  if (chosen?.status.protocol === PROTOCOL && chosen.status.isStandIn !== true) {
    const late = delay((PROMPT_SECONDS - 1) * 1000, undefined, { ref: false });
    await Promise.race([chosen.client.mark(`${name} got a prompt`), late]).catch(() => undefined);
  }
  await chosen?.client.close();
  return NOTHING;
}

/** What a command that is held needs no bridge for; otherwise what the bridge is told of it. */
async function heldCall(
  agent: string,
  { holding }: Gate,
  call: GateCall,
  input: unknown,
  shell: HookFlags['shell'],
  environment: Environment,
): Promise<AboutCall | { readonly output: HookOutput }> {
  if (call.kind !== 'ran' && (call.kind !== 'command' || call.shell === undefined || shell !== 'hold')) return {};
  const { heldBefore, holdCommand } = await import('./hold-command.ts');
  if (call.kind === 'ran') {
    const { layers, state } = await heldBefore(agent, call, environment);
    if (layers.length > 0) return { layers };
    return { output: state === undefined || holding === undefined ? NOTHING : holding.tell(input, STATES[state]) };
  }
  const unheld = holding === undefined ? UNREPLACED : call.shell?.unheld;
  if (holding === undefined || unheld !== undefined) return { unheld };
  const held = await holdCommand(agent, call, environment);
  return held.kind === 'held' ? { output: holding.replace(input, held.text) } : { unheld: held.reason };
}

interface HookBridge {
  readonly control: ControlClient;
  close(): Promise<void>;
}

/** The bridge of the folder; without one, this process is it until the user has decided. */
async function bridgeOf(cwd: string, signal: AbortSignal, environment: Environment): Promise<HookBridge> {
  const [folder = cwd] = realFolders([cwd]);
  const chosen = await bridgeAround(folder, environment);
  if (chosen === undefined) {
    const { serveQuietly } = await import('../serving/serve-workspace.ts');
    const served = await serveQuietly({ workspace: folder, isStandIn: true }, environment, signal);
    return { control: served.control(), close: served.close };
  }
  const { client: control, status } = chosen;
  if (status.protocol !== PROTOCOL) {
    await control.close();
    throw new Error(`The bridge (process ${status.pid}) is version ${status.version}; restart it`);
  }
  return { control, close: () => control.close() };
}

async function bridgeAround(cwd: string, environment: Environment): Promise<FoundBridge | undefined> {
  const [folder = cwd] = realFolders([cwd]);
  const { bridges } = await findBridges(environment);
  const [chosen] = serving(folder, bridges, {});
  await Promise.all(bridges.filter((each) => each !== chosen).map(({ client }) => client.close()));
  return chosen;
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin) {
    size += (part as Buffer).length;
    if (size > MAX_INPUT_BYTES) throw new Error(`The hook got more than ${MAX_INPUT_BYTES} bytes`);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function print({ stdout, exitCode }: HookOutput, environment: Environment): void {
  if (stdout !== '') environment.stdout(stdout);
  if (exitCode !== 0) throw new CommandFailed(exitCode, '');
}
