import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { suggestion } from '@hawser/command-line/suggestion';
import { unifiedDiff } from '@hawser/diffs/unified-diff';
import { askLine } from '@hawser/terminal-text/line-input';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import { messageOf } from '@hawser/unknown-values/thrown';
import { codeOf } from '@hawser/user-files/private-file';
import type { Agent } from '../agent.ts';
import { AGENTS, agentCalled, calledName } from '../agents/agents.ts';
import { announceWriting, orLeftAsItIs } from '../command-line/config-file.ts';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { ConfigRefused } from '../connect/config-refused.ts';
import { type HookList, hasHook, valueAt, withHook, withoutHook } from '../connect/edit-hooks.ts';
import { connectPlaces } from '../connect/places.ts';
import { readText, writeChange } from '../connect/write-config.ts';
import {
  type Gate,
  type HookEntry,
  type HookOptions,
  type HookPlaces,
  type HookScope,
  type HookSetting,
  UNREPLACED,
} from '../gate.ts';

export interface GateFlags extends HookOptions {
  readonly workspace: string;
  readonly project?: true;
  readonly yes?: true;
  /** Seconds. */
  readonly limit?: number;
  readonly guard?: true;
}

interface GatedAgent extends Agent {
  readonly gate: () => Promise<Gate>;
}

/** Turns the gates of agents on or off, or lists them. */
export async function gate(
  action: string,
  names: readonly string[],
  flags: GateFlags,
  environment: Environment,
): Promise<void> {
  const workspace = workspaceFolder(flags.workspace, environment);
  if (action === 'list') return await list(workspace, environment);
  if (names.length === 0) {
    throw new CommandFailed(
      ExitCode.usage,
      `Name the agents: hawser gate ${action} ${gatedAgents().map(calledName).join(' ')}`,
    );
  }
  const scope = flags.project ? 'project' : 'user';
  for (const agent of names.map(gatedAgent)) await change(agent, action, scope, workspace, flags, environment);
}

async function change(
  agent: GatedAgent,
  action: string,
  scope: HookScope,
  workspace: string,
  flags: GateFlags,
  environment: Environment,
): Promise<void> {
  const { hook } = await agent.gate();
  const { home, variables } = environment;
  const path = hook.path(scope, { home, variables, workspace });
  const words = hookWords(agent, flags, workspace, environment);
  const { before, after } = orLeftAsItIs(path, () => {
    const before = readText(path);
    return {
      before,
      after: action === 'on' ? withGate(before, agent, hook, words, flags) : withoutGate(before, agent, hook),
    };
  });
  const { stdout } = environment;
  if ((before ?? '') === (after ?? '')) return stdout(escaped(`${agent.title}: ${path} is as it should be`));
  const names = {
    oldName: before === undefined ? '/dev/null' : path,
    newName: after === undefined ? '/dev/null' : path,
  };
  for (const line of unifiedDiff(before ?? '', after ?? '', names)
    .trimEnd()
    .split('\n'))
    stdout(escaped(line));
  if (!flags.yes && !(await isConfirmed(path, environment))) return stdout('Nothing was changed.');
  await announceWriting(path, after, environment);
  orLeftAsItIs(path, () => writeChange(path, { before, after }));
  stdout(escaped(`${agent.title}: ${after === undefined ? 'removed' : 'wrote'} ${path}`));
  if (action === 'on' && hook.trust !== undefined) stdout(hook.trust.advice);
  const unheld =
    action === 'on' && flags.shell === 'hold' ? await unheldHere(agent, workspace, environment) : undefined;
  if (unheld !== undefined) {
    stdout(escaped(`${agent.title}: what commands change can't be held: ${unheld}. They are shown before they run.`));
  }
}

async function list(workspace: string, environment: Environment): Promise<void> {
  const rows = [['AGENT', 'GATE', 'WHERE']];
  for (const agent of gatedAgents()) rows.push(...(await rowsOf(agent, workspace, environment)));
  for (const line of tableLines(rows, environment.columns)) environment.stdout(line);
  for (const agent of gatedAgents()) {
    const states = await gateStates(agent, workspace, environment);
    for (const { advice } of states) if (advice !== undefined) environment.stdout(`${agent.title}: ${advice}`);
  }
}

async function rowsOf(agent: GatedAgent, workspace: string, environment: Environment): Promise<string[][]> {
  const states = await gateStates(agent, workspace, environment);
  if (states.length > 0) return states.map(({ state, path }) => [agent.name, state, path]);
  return [[agent.name, 'off', `hawser gate on ${calledName(agent)}`]];
}

export interface GateState {
  /** `on`, `untrusted`, `shadowed`, or why it can't be said. */
  readonly state: string;
  readonly path: string;
  /** What to do; absent if nothing. */
  readonly advice?: string;
}

/** Where the gate of an agent is on. */
export async function gateStates(
  agent: GatedAgent,
  workspace: string,
  { home, variables }: Pick<Environment, 'home' | 'variables'>,
): Promise<readonly GateState[]> {
  const { hook } = await agent.gate();
  const places = { home, variables, workspace };
  const own = (['project', 'user'] as const).map((scope) => ({ path: hook.path(scope, places), isOf: 'settings' }));
  const plugins = (hook.pluginFiles?.(places, readIfAny) ?? []).map((path) => ({ path, isOf: 'a plugin' }));
  return [...own, ...plugins].flatMap(({ path, isOf }) => {
    try {
      const text = readText(path);
      if (text === undefined || !(isOf === 'a plugin' ? isOurs(text, agent) : hasGate(text, agent, hook))) return [];
      const shadow = shadowOf(hook, places);
      if (shadow !== undefined) return { state: 'shadowed', path, advice: shadow };
      const trust = hook.trust?.noted(path, places);
      const isTrusted = trust === undefined || readText(trust.path)?.includes(trust.text) === true;
      return isTrusted ? { state: 'on', path } : { state: 'untrusted', path, advice: hook.trust?.advice ?? '' };
    } catch (error) {
      const isUnreadable = error instanceof ConfigRefused || codeOf(error) !== undefined;
      if (!isUnreadable) throw error;
      return { state: `unknown: ${messageOf(error)}`, path };
    }
  });
}

function readIfAny(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined;
  }
}

/** What keeps the agent from running its hooks, and what to do; undefined if nothing does. */
function shadowOf({ offSwitch, path }: HookSetting, places: HookPlaces): string | undefined {
  if (offSwitch === undefined) return undefined;
  for (const file of [path('project', places), path('user', places)]) {
    const value = valueAt(readText(file) ?? '', offSwitch.at);
    if (value === undefined) continue;
    if (value !== offSwitch.value) return undefined;
    return `${offSwitch.at.join('.')} in ${file} is ${value}: it runs no hooks. Remove that.`;
  }
  return undefined;
}

/** The names of agents whose gate is on in this folder, so that they wait for a decision in every mode. */
export async function gatesOn(
  workspace: string,
  environment: Pick<Environment, 'home' | 'variables'>,
): Promise<readonly string[]> {
  const found = gatedAgents().map(async (agent) => {
    const states = await gateStates(agent, workspace, environment);
    return states.some(({ state }) => state === 'on') ? [agent.name] : [];
  });
  return (await Promise.all(found)).flat();
}

function withGate(
  before: string | undefined,
  agent: Agent,
  { content }: HookSetting,
  words: readonly string[],
  options: HookOptions,
): string {
  if ('text' in content) {
    if (before !== undefined && !isOurs(before, agent)) throw new ConfigRefused('it is not from Hawser');
    return content.text(words, options);
  }
  const command = shellCommand(words);
  return content.reduce((text, entry) => {
    const [list, value] = [listOf(agent, entry), entry.value(command, options)];
    return value === undefined ? withoutHook(text, list) : withHook(text, list, value);
  }, before ?? '');
}

/** Undefined if there is to be no file. */
function withoutGate(before: string | undefined, agent: Agent, { content }: HookSetting): string | undefined {
  if ('text' in content) return before !== undefined && isOurs(before, agent) ? undefined : before;
  return content.reduce((text, entry) => withoutHook(text, listOf(agent, entry)), before ?? '');
}

function hasGate(text: string, agent: Agent, { content }: HookSetting): boolean {
  return 'text' in content ? isOurs(text, agent) : content.some((entry) => hasHook(text, listOf(agent, entry)));
}

function listOf(agent: Agent, { at }: HookEntry): HookList {
  return { at, isOurs: (entry) => isOurs(JSON.stringify(entry), agent) };
}

/** What is ours is known by the command that it runs, as one text or as words. */
function isOurs(text: string, { name }: Agent): boolean {
  return text.includes(`gate hook ${name}`) || text.includes(`"gate","hook","${name}"`);
}

/** The program that is the hook, and its arguments. */
function hookWords(
  { name }: Agent,
  { limit, shell, guard }: GateFlags,
  workspace: string,
  environment: Environment,
): string[] {
  const { hawser } = connectPlaces(workspace, environment);
  const limited = limit === undefined ? [] : ['--limit', String(limit)];
  const held = shell === 'hold' ? ['--shell', shell] : [];
  return [...hawser, 'gate', 'hook', name, ...limited, ...held, ...(guard ? ['--guard'] : [])];
}

function shellCommand(words: readonly string[]): string {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  // Without a shell between the two the hook notices when its agent has ended.
  return `exec ${quoted.join(' ')}`;
}

export function gatedAgents(): readonly GatedAgent[] {
  return AGENTS.flatMap((agent) => (agent.gate === undefined ? [] : { ...agent, gate: agent.gate }));
}

function gatedAgent(name: string): GatedAgent {
  const agent = agentCalled(name);
  const gated = gatedAgents().find((each) => each.name === agent?.name);
  if (gated !== undefined) return gated;
  const names = known();
  throw new CommandFailed(
    ExitCode.usage,
    `${name} is not one of ${names.join(', ')}.${suggestion(name, [...names, ...gatedAgents().map(calledName)])}`,
  );
}

function known(): string[] {
  return gatedAgents().map(({ name }) => name);
}

/** Why no command of the agent can be held in this folder; undefined if they can. */
async function unheldHere(agent: GatedAgent, workspace: string, environment: Environment): Promise<string | undefined> {
  if ((await agent.gate()).holding === undefined) return UNREPLACED;
  const { holdingFor } = await import('../hold/possible.ts');
  const holding = await holdingFor(workspace, environment);
  return holding.kind === 'impossible' ? holding.reason : undefined;
}

async function isConfirmed(path: string, { terminal }: Environment): Promise<boolean> {
  if (terminal === undefined) {
    throw new CommandFailed(ExitCode.usage, 'There is no terminal to ask in; add --yes to change the file.');
  }
  return /^\s*y/i.test((await askLine(`Write this to ${path}? [y/N] `, terminal)) ?? '');
}
