import { warmSbcl } from '../../../testing/warm-sbcl.ts';
import { describeDebugger } from '../../debugger.contract.ts';
import { describeErrors } from '../../errors.contract.ts';
import { describeEvaluator } from '../../evaluator.contract.ts';
import { describeLookup } from '../../lookup.contract.ts';
import { describeOperations } from '../../operations.contract.ts';
import { describeSystems } from '../../systems.contract.ts';
import { describeTesting } from '../../testing.contract.ts';

const prepare = warmSbcl();

describeEvaluator('SBCL', prepare);
describeErrors('SBCL', prepare);
describeDebugger('SBCL', prepare);
describeLookup('SBCL', prepare);
describeOperations('SBCL', prepare);
describeSystems('SBCL', prepare);
describeTesting('SBCL', prepare);
