import type { Loss } from '../../evaluator.ts';
import type { WorkerEnd } from './worker-channel.ts';

/** Why a Lisp ended that was not closed or killed by this process. */
export function lossOf(end: WorkerEnd, lastWords: string): Loss {
  if (/heap exhausted|out of memory|GC invariant lost/i.test(lastWords)) {
    return { kind: 'heap-exhausted', message: 'The Lisp ran out of memory and ended.' };
  }
  const said = lastWords.trim();
  const remark = said === '' ? '' : ` It wrote: ${said.slice(0, 1000)}`;
  switch (end.kind) {
    case 'exit':
      return { kind: 'exited', message: `The Lisp exited with code ${end.code}.${remark}` };
    case 'signal':
      return { kind: 'crashed', message: `The Lisp was ended by ${end.signal}.${remark}` };
    case 'unstarted':
      return { kind: 'crashed', message: `${end.error.message}.` };
    case 'detached':
      return { kind: 'exited', message: 'The connection to the Lisp ended.' };
    case 'garbage':
      return { kind: 'crashed', message: `The Lisp was ended: ${end.error.message}.` };
  }
}
