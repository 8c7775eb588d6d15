import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { realAgents } from './all.ts';
import type { Check } from './real-agent.ts';
import { type Cell, type Column, table } from './table.ts';

declare module 'vitest' {
  interface TaskMeta {
    agent?: string;
    check?: Check;
    /** It is a check of the agent's gate. */
    isOfGate?: true;
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
      if (check === 'gate') return gateCell(ofAgent(name).filter((test) => test.meta().isOfGate));
      const test = ofAgent(name).find((found) => found.meta().check === check);
      return test === undefined ? 'not run' : cellOfTest(test);
    };
    process.stdout.write(`\n${table(agents, ({ name }, check) => cellOf(name, check))}\n`);
    for (const { name, title } of agents) {
      const hosts = new Set(ofAgent(name).flatMap((test) => test.meta().refusedHosts ?? []));
      if (hosts.size > 0) process.stdout.write(`\n${title} was refused connections to ${[...hosts].join(', ')}`);
    }
    process.stdout.write('\n✓ passed, ✗ failed, – the agent itself cannot do it, ? not run\n');
  }
}

/** All of them have to pass. */
function gateCell(tests: readonly TestCase[]): Cell {
  const cells = tests.map(cellOfTest);
  if (cells.includes('failed')) return 'failed';
  return cells.length === 0 || cells.includes('not run') ? 'not run' : 'passed';
}

function cellOfTest(test: TestCase): Cell {
  const { state } = test.result();
  if (state === 'passed' || state === 'failed') return state;
  return test.meta().limit === undefined ? 'not run' : 'limit';
}
