import { GATE_CHECKS, type GateCheck, type GatedAgent } from './gated.ts';
import { CHECKS, type Check, type RealAgent } from './real-agent.ts';
import { SHELL_CHECKS, type ShellAgent, type ShellCheck } from './shells.ts';

/** What became of one check of one agent. `by gate`: the agent itself can't do it, and does with its gate. */
export type Cell = 'passed' | 'failed' | 'limit' | 'not run' | 'by gate';
const MARKS = { passed: '✓', failed: '✗', limit: '–', 'not run': '?', 'by gate': 'gate' } as const;

/** The gate has checks of its own, in gate.real.ts: they are one column here, and a table of their own. */
export type Column = Check | 'gate';

const columns: readonly Column[] = [...(Object.keys(CHECKS) as Check[]), 'gate'];
const gateChecks = Object.keys(GATE_CHECKS) as GateCheck[];

/** What of the gate does what an agent can't do by itself. */
export const FILLED_BY_GATE: { readonly [C in Check]?: GateCheck } = {
  accept: 'accepted',
  change: 'inPart',
  reject: 'rejected',
};

/** A Markdown table of agents and checks. */
export function table(agents: readonly RealAgent[], cellOf: (agent: RealAgent, column: Column) => Cell): string {
  const heads = ['agent', 'adapter', ...columns.map((column) => (column === 'gate' ? column : CHECKS[column]))];
  const rows = agents.map((agent) => [
    `${agent.title} ${agent.version}`,
    `\`${agent.adapter}\``,
    ...columns.map((column) => MARKS[cellOf(agent, column)]),
  ]);
  return markdown(heads, rows);
}

/** A Markdown table of gates, a row for each mode of each agent. */
export function gateTable(
  agents: readonly GatedAgent[],
  cellOf: (agent: RealAgent, mode: string, check: GateCheck) => Cell,
): string {
  const heads = ['agent', 'mode', ...gateChecks.map((check) => GATE_CHECKS[check])];
  const rows = agents.flatMap(({ agent, modes, inTerminal }) =>
    [...(inTerminal === undefined ? [] : [inTerminal.mode]), ...Object.keys(modes)].map((mode) => [
      agent.title,
      mode,
      ...gateChecks.map((check) => MARKS[cellOf(agent, mode, check)]),
    ]),
  );
  return markdown(heads, rows);
}

/** A Markdown table of shell commands, a row for each mode of each agent. */
export function shellTable(
  agents: readonly ShellAgent[],
  cellOf: (agent: RealAgent, mode: string, check: ShellCheck) => Cell,
): string {
  const checks = Object.keys(SHELL_CHECKS) as ShellCheck[];
  const rows = agents.flatMap(({ agent, modes }) =>
    Object.keys(modes).map((mode) => [agent.title, mode, ...checks.map((check) => MARKS[cellOf(agent, mode, check)])]),
  );
  return markdown(['agent', 'mode', ...checks.map((check) => SHELL_CHECKS[check])], rows);
}

/** The same when every agent does what it can. */
export function expectedShellTable(agents: readonly ShellAgent[]): string {
  const isUnheld = (agent: RealAgent, mode: string) =>
    agents.find((each) => each.agent === agent)?.modes[mode]?.unheld !== undefined;
  return shellTable(agents, (agent, mode, check) => (check === 'held' && isUnheld(agent, mode) ? 'limit' : 'passed'));
}

function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

/** The table when every agent does what it can. */
export function expectedTable(agents: readonly RealAgent[]): string {
  return table(agents, ({ limits }, column) => {
    if (column === 'gate' || limits[column] === undefined) return 'passed';
    return FILLED_BY_GATE[column] === undefined ? 'limit' : 'by gate';
  });
}

/** The same of their gates. */
export function expectedGateTable(agents: readonly GatedAgent[]): string {
  const limitOf = (agent: RealAgent, mode: string, check: GateCheck) => {
    const inTerminal = agents.find((each) => each.agent === agent && each.inTerminal?.mode === mode)?.inTerminal;
    return inTerminal?.limits[check];
  };
  return gateTable(agents, (...of) => (limitOf(...of) === undefined ? 'passed' : 'limit'));
}
