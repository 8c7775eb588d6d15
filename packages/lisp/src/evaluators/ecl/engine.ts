import type { Engine, Evaluator, StartOptions } from '../../evaluator.ts';
import { findProgram } from '../worker/find-program.ts';
import { prepareEvaluator } from '../worker/prepare-evaluator.ts';
import { requireFolder } from '../worker/require-folder.ts';
import { workerSource } from '../worker/source.ts';
import { WorkerEvaluator } from '../worker/worker-evaluator.ts';
import { WorkerProcess } from '../worker/worker-process.ts';

export interface EclOptions {
  /** The environment that ECL is looked for and started in. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program; looked for on PATH when absent. */
  readonly program?: string;
  /** Put before the command line, such as `['bwrap', …]`. It must pass descriptors 3 and 4 on. */
  readonly command?: readonly string[];
}

const START_TIMEOUT_MS = 120_000;

/** Embeddable Common Lisp, one process per evaluator. */
export function eclEngine({ environment, program: named, command = [] }: EclOptions): Engine {
  const [wrapper] = command;
  const program = wrapper === undefined ? findProgram(named ?? 'ecl', environment.PATH) : (named ?? 'ecl');
  return {
    name: 'ECL',
    missing: () => (program === undefined ? installHint(named) : undefined),
    async start(options: StartOptions): Promise<Evaluator> {
      if (program === undefined) throw new Error(installHint(named));
      requireFolder(options.cwd);
      const [first = program, ...args] = [
        ...command,
        program,
        ...commandLine(options.heapMegabytes, wrapper === undefined ? ':own' : ':given'),
      ];
      const evaluator = new WorkerEvaluator(
        (listener) =>
          new WorkerProcess(
            {
              program: first,
              args,
              group: wrapper === undefined ? 'made by the worker' : 'made here',
              source: workerSource('ecl'),
              ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
              environment: { ...environment, ...options.environment },
            },
            listener,
          ),
      );
      await evaluator.started(START_TIMEOUT_MS);
      await prepareEvaluator(evaluator, options);
      return evaluator;
    },
  };
}

/** Sends the source on descriptor 3: a long argument would take a part of the stack that ECL expects. */
const LOAD_SOURCE = `
  (let* ((wire (ext:make-stream-from-fd 3 :input :buffering :full :element-type 'base-char))
         (text (make-string (parse-integer (read-line wire)))))
    ;; Were it collected, ECL would close the descriptor and complain in the middle of something else.
    (setf (get :hawser :wire) wire)
    (read-sequence text wire)
    (with-input-from-string (source text) (load source)))`;

function commandLine(heapMegabytes: number, group: ':own' | ':given'): string[] {
  const heap = ['--heap-size', String(heapMegabytes * 1024 * 1024)];
  return ['--norc', ...heap, '--eval', LOAD_SOURCE, '--eval', `(funcall (hawser-worker:seal) ${group})`];
}

function installHint(program: string | undefined): string {
  if (program !== undefined) return `${program} is not executable: set ECL_BIN to an ECL, or install one.`;
  return 'ECL is not installed: install it (Debian and Ubuntu: apt install ecl; macOS: brew install ecl) or name its program in ECL_BIN.';
}
