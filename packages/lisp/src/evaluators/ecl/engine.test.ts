import { describeDebugger } from '../../debugger.contract.ts';
import { describeErrors } from '../../errors.contract.ts';
import { describeEvaluator } from '../../evaluator.contract.ts';
import { describeLookup } from '../../lookup.contract.ts';
import { describeOperations } from '../../operations.contract.ts';
import { describeSystems } from '../../systems.contract.ts';
import { describeTesting } from '../../testing.contract.ts';
import { eclEngine } from './engine.ts';

const prepare = async () => eclEngine({ environment: process.env });
const notes = {
  lacks: {
    'merged-tail-calls': 'its bytecodes keep a frame for every call',
    frames: 'its stack has names, not arguments',
    'unnamed-restarts': 'it lists only restarts with a name',
    'restart-arguments': 'it does not check how many arguments a restart takes',
    'strict-redefinition': 'it redefines structures and constants without an error',
    locals: 'it does not show the variables of a frame',
    'evaluate-in-frame': 'it cannot evaluate in a frame',
    references: 'it keeps no cross references',
    'compiler-positions': 'its compilers say little about code, and not where it is',
    profiler: 'it has no statistical profiler',
    'expand-all': 'it cannot expand subforms',
  },
  // Otherwise FiveAM goes through the C compiler, for half a minute.
  compileSoon: '(ext:install-bytecodes-compiler)',
} as const;

describeEvaluator('ECL', prepare, notes);
describeErrors('ECL', prepare, notes);
describeDebugger('ECL', prepare, notes);
describeLookup('ECL', prepare, notes);
describeOperations('ECL', prepare, notes);
describeSystems('ECL', prepare, notes);
describeTesting('ECL', prepare, notes);
