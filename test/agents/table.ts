import { CHECKS, type Check, type RealAgent } from './real-agent.ts';

/** What became of one check of one agent. */
export type Cell = 'passed' | 'failed' | 'limit' | 'not run';
const MARKS = { passed: '✓', failed: '✗', limit: '–', 'not run': '?' } as const;

/** The gate has checks of its own, in gate.real.ts: they are one column. */
export type Column = Check | 'gate';

const columns: readonly Column[] = [...(Object.keys(CHECKS) as Check[]), 'gate'];

/** A Markdown table of agents and checks, and below it what the agents themselves cannot do. */
export function table(agents: readonly RealAgent[], cellOf: (agent: RealAgent, column: Column) => Cell): string {
  const heads = ['agent', 'adapter', ...columns.map((column) => (column === 'gate' ? column : CHECKS[column]))];
  const rows = agents.map((agent) => [
    `${agent.title} ${agent.version}`,
    `\`${agent.adapter}\``,
    ...columns.map((column) => MARKS[cellOf(agent, column)]),
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
  return table(agents, ({ limits }, column) =>
    column === 'gate' || limits[column] === undefined ? 'passed' : 'limit',
  );
}
