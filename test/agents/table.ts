import { CHECKS, type Check, type RealAgent } from './real-agent.ts';

/** What became of one check of one agent. */
export type Cell = 'passed' | 'failed' | 'limit' | 'not run';
const MARKS = { passed: '✓', failed: '✗', limit: '–', 'not run': '?' } as const;

const checkNames = Object.keys(CHECKS) as Check[];

/** A Markdown table of agents and checks, and below it what the agents themselves cannot do. */
export function table(agents: readonly RealAgent[], cellOf: (agent: RealAgent, check: Check) => Cell): string {
  const heads = ['agent', 'adapter', ...checkNames.map((check) => CHECKS[check])];
  const rows = agents.map((agent) => [
    `${agent.title} ${agent.version}`,
    `\`${agent.adapter}\``,
    ...checkNames.map((check) => MARKS[cellOf(agent, check)]),
  ]);
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
  return table(agents, ({ limits }, check) => (limits[check] === undefined ? 'passed' : 'limit'));
}
