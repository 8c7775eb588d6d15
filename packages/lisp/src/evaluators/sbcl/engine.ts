import type { Engine, Evaluator, StartOptions } from '../../evaluator.ts';
import { findProgram } from '../worker/find-program.ts';
import { prepareEvaluator } from '../worker/prepare-evaluator.ts';
import { requireFolder } from '../worker/require-folder.ts';
import { workerFingerprint, workerSource } from '../worker/source.ts';
import { lispString } from '../worker/wire.ts';
import { WorkerEvaluator } from '../worker/worker-evaluator.ts';
import { WorkerProcess } from '../worker/worker-process.ts';
import { CoreCache } from './core-cache.ts';

export interface SbclOptions {
  /** The environment that SBCL is looked for and started in. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program; looked for on PATH when absent. */
  readonly program?: string;
  /**
   * Put before the command line, for example `['bwrap', …]`. It must pass descriptors 3 and 4 on. The SBCL inside may be
   * another one, so no saved core is used.
   */
  readonly command?: readonly string[];
  /** Where saved cores are kept, a folder of the user's alone. Without it every start loads the worker's source. */
  readonly cacheFolder?: string;
}

export interface SbclEngine extends Engine {
  /** Resolves when a saved core is there, or cannot be: later starts are quick. */
  warm(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;

/** Steel Bank Common Lisp, one process per evaluator. */
export function sbclEngine(options: SbclOptions): SbclEngine {
  const { environment, command = [], cacheFolder } = options;
  const [wrapper] = command;
  const program = findProgram(options.program ?? 'sbcl', environment.PATH);
  const missing =
    wrapper === undefined
      ? program === undefined && installHint(options.program)
      : findProgram(wrapper, environment.PATH) === undefined &&
        `${wrapper}, the command that wraps the Lisp, is not executable.`;

  const cache =
    program === undefined || cacheFolder === undefined || wrapper !== undefined
      ? undefined
      : new CoreCache({
          folder: cacheFolder,
          program,
          environment,
          source: () => workerSource('sbcl'),
          fingerprint: workerFingerprint(),
          save: savingOptions,
        });
  // Find or begin to make the core before the first start needs it.
  cache?.core();

  const launch = async (
    { args, sent }: { readonly args: readonly string[]; readonly sent?: string },
    start: StartOptions,
  ): Promise<WorkerEvaluator> => {
    const sbcl = wrapper === undefined ? (program ?? 'sbcl') : (options.program ?? 'sbcl');
    const [first = sbcl, ...rest] = [...command, sbcl, ...args];
    const evaluator = new WorkerEvaluator(
      (listener) =>
        new WorkerProcess(
          {
            program: first,
            args: rest,
            group: wrapper === undefined ? 'made by the worker' : 'made here',
            ...(sent === undefined ? {} : { source: sent }),
            ...(start.cwd === undefined ? {} : { cwd: start.cwd }),
            environment: { ...environment, ...start.environment },
          },
          listener,
        ),
    );
    await evaluator.started(START_TIMEOUT_MS);
    return evaluator;
  };

  const launchFromSource = (start: StartOptions) => {
    const args = sourceOptions(start.heapMegabytes, wrapper === undefined ? START : START_WRAPPED);
    return launch({ args, sent: workerSource('sbcl') }, start);
  };

  const launchFromCore = async (core: string, start: StartOptions): Promise<WorkerEvaluator> => {
    try {
      return await launch({ args: coreOptions(core, start.heapMegabytes) }, start);
    } catch {
      const evaluator = await launchFromSource(start);
      // The core is truncated, or another SBCL made it.
      cache?.discard(core);
      return evaluator;
    }
  };

  return {
    name: 'SBCL',
    missing: () => missing || undefined,
    async start(start: StartOptions): Promise<Evaluator> {
      if (missing) throw new Error(missing);
      requireFolder(start.cwd);
      const core = cache?.core();
      const evaluator = await (core === undefined ? launchFromSource(start) : launchFromCore(core, start));
      await prepareEvaluator(evaluator, start);
      return evaluator;
    },
    async warm() {
      const awake = setInterval(() => undefined, 60_000);
      if (cache?.core() === undefined) await cache?.build();
      clearInterval(awake);
    },
  };
}

const START = '(funcall (hawser-worker:seal))';
const START_WRAPPED = '(funcall (hawser-worker:seal) :given)';

function runtimeOptions(heapMegabytes: number): string[] {
  const heap = ['--dynamic-space-size', `${heapMegabytes}MB`];
  return ['--noinform', '--disable-ldb', ...heap, '--control-stack-size', '8MB'];
}

function coreOptions(core: string, heapMegabytes: number): string[] {
  return ['--core', core, ...runtimeOptions(heapMegabytes), '--end-runtime-options'];
}

/** The source comes on descriptor 3, so a container need not see our files; it is ASCII. */
const LOAD_SOURCE = `
  (let* ((wire (sb-sys:make-fd-stream 3 :input t :buffering :full :external-format :latin-1))
         (text (make-string (parse-integer (read-line wire)))))
    (read-sequence text wire)
    (with-input-from-string (source text) (load source)))`;

function sourceOptions(heapMegabytes: number, then: string): string[] {
  // The files refer to each other, so what one calls and a later one defines is not worth a warning.
  const quietly = `(handler-bind ((style-warning (function muffle-warning))) (with-compilation-unit () ${LOAD_SOURCE}))`;
  const toplevel = ['--no-sysinit', '--no-userinit', '--disable-debugger'];
  return [...runtimeOptions(heapMegabytes), ...toplevel, '--eval', quietly, '--eval', then];
}

function savingOptions(file: string): string[] {
  const target = `(sb-ext:parse-native-namestring ${lispString(file)})`;
  const save = `(progn (hawser-worker/backend:prepare-image) (sb-ext:save-lisp-and-die ${target} :toplevel (hawser-worker:seal)))`;
  return sourceOptions(512, save);
}

function installHint(program: string | undefined): string {
  if (program !== undefined) return `${program} is not executable: set SBCL_BIN to an SBCL, or install one.`;
  return 'SBCL is not installed: install it (Debian and Ubuntu: apt install sbcl; macOS: brew install sbcl) or name its program in SBCL_BIN.';
}
