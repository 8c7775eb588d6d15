import { LimitExceeded } from '../../jsonrpc/errors.ts';
import { isNode } from '../is-node.ts';

/** Runs synchronous code; throws LimitExceeded when it takes longer. */
export type TimeLimit = <T>(work: () => T, milliseconds: number) => T;

interface Sandbox {
  run: (() => unknown) | undefined;
}

let limit: TimeLimit | undefined;

/**
 * The time limit of this runtime, or undefined if it cannot interrupt code. In Node it takes about 0.2 ms a call and
 * stops everything that V8 runs, a backtracking regular expression included.
 */
export function timeLimit(): TimeLimit | undefined {
  limit ??= makeTimeLimit();
  return limit;
}

function makeTimeLimit(): TimeLimit | undefined {
  // Other runtimes have node:vm too, but ignore its timeout.
  const vm = isNode() ? process.getBuiltinModule?.('node:vm') : undefined;
  if (vm === undefined) return undefined;
  const sandbox: Sandbox = { run: undefined };
  const context = vm.createContext(sandbox);
  const script = new vm.Script('run()');
  return <T>(work: () => T, milliseconds: number): T => {
    sandbox.run = work;
    try {
      return script.runInContext(context, { timeout: milliseconds }) as T; // the result of `work`
    } catch (error) {
      if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new LimitExceeded(`checking it took more than ${milliseconds} ms (limit maxSchemaMs)`);
    } finally {
      sandbox.run = undefined;
    }
  };
}
