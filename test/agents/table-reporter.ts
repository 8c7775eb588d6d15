import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { realAgents } from './all.ts';
import { type GateCheck, gated } from './gated.ts';
import type { Check, RealAgent } from './real-agent.ts';
import { type ShellCheck, shells } from './shells.ts';
import { type Cell, type Column, FILLED_BY_GATE, gateTable, shellTable, table } from './table.ts';

declare module 'vitest' {
  interface TaskMeta {
    agent?: string;
    check?: Check;
    /** It is a check of the agent's gate in this mode; without `gateCheck`, one that other gates do not have. */
    mode?: string;
    gateCheck?: GateCheck;
    /** It is a check of the agent's shell commands in this mode. */
    shellMode?: string;
    shellCheck?: ShellCheck;
    limit?: string;
    /** What it wanted from other machines. */
    refusedHosts?: readonly string[];
  }
}

/** Prints the table of agents and checks after the last test, and which hosts the agents could not reach. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const ofAgent = (name: string) => tests.filter((test) => test.meta().agent === name);
    const agents = realAgents.filter(({ name }) => ofAgent(name).length > 0);
    const cellOf = (name: string, check: Column): Cell => {
      const ofGate = ofAgent(name).filter((test) => test.meta().mode !== undefined);
      if (check === 'gate') return allOf(ofGate);
      const test = ofAgent(name).find((found) => found.meta().check === check);
      const cell = test === undefined ? 'not run' : cellOfTest(test);
      const filler = FILLED_BY_GATE[check];
      if (cell !== 'limit' || filler === undefined) return cell;
      return allOf(ofGate.filter((found) => found.meta().gateCheck === filler)) === 'passed' ? 'by gate' : cell;
    };
    const gateCellOf = ({ name }: RealAgent, mode: string, check: GateCheck): Cell =>
      allOf(ofAgent(name).filter((test) => test.meta().mode === mode && test.meta().gateCheck === check));
    process.stdout.write(`\n${table(agents, ({ name }, check) => cellOf(name, check))}\n`);
    const gates = gated.filter(({ agent }) => agents.includes(agent));
    process.stdout.write(`\n${gateTable(gates, gateCellOf)}\n`);
    const shellCellOf = ({ name }: RealAgent, mode: string, check: ShellCheck): Cell => {
      const found = ofAgent(name).filter((test) => test.meta().shellMode === mode && test.meta().shellCheck === check);
      const isShown = found.length > 0 && found.every((test) => test.meta().limit !== undefined);
      return isShown && allOf(found) === 'passed' ? 'limit' : allOf(found);
    };
    const commands = shells.filter(({ agent }) => agents.includes(agent));
    process.stdout.write(`\n${shellTable(commands, shellCellOf)}\n`);
    for (const { name, title } of agents) {
      const hosts = new Set(ofAgent(name).flatMap((test) => test.meta().refusedHosts ?? []));
      if (hosts.size > 0) process.stdout.write(`\n${title} was refused connections to ${[...hosts].join(', ')}`);
    }
    process.stdout.write('\n✓ passed, ✗ failed, gate: with its gate, – the agent itself cannot do it, ? not run\n');
  }
}

/** All of them have to pass, apart from what an agent can't do. */
function allOf(tests: readonly TestCase[]): Cell {
  const cells = tests.map(cellOfTest);
  if (cells.includes('failed')) return 'failed';
  if (cells.length === 0 || cells.includes('not run')) return 'not run';
  return cells.every((cell) => cell === 'limit') ? 'limit' : 'passed';
}

function cellOfTest(test: TestCase): Cell {
  const { state } = test.result();
  if (state === 'passed' || state === 'failed') return state;
  return test.meta().limit === undefined ? 'not run' : 'limit';
}
