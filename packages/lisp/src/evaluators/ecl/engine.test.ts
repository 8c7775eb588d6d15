import { describeEvaluator } from '../../evaluator.contract.ts';
import { eclEngine } from './engine.ts';

describeEvaluator('ECL', async () => eclEngine({ environment: process.env }), {
  lacks: {
    'merged-tail-calls': 'its bytecodes keep a frame for every call',
    frames: 'its stack tells names, not arguments',
    locals: 'it does not tell the variables of a frame',
    'evaluate-in-frame': 'it cannot evaluate in a frame',
    xref: 'it keeps no cross references',
    'compiler-positions': 'its bytecode compiler says nothing of unused variables',
  },
});
