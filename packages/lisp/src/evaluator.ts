/**
 * One Lisp with its state: what one operation defines, the next one finds. It performs one operation at a time; the
 * session that owns it keeps the queue.
 */
export interface Evaluator {
  /** The engine and its version, for example `SBCL 2.2.9`. */
  readonly engine: string;
  /**
   * Performs one operation. Errors of Lisp code, timeouts, interruptions and the loss of the process are outcomes, not
   * exceptions. Rejects with the signal's reason, after the operation was interrupted; the evaluator can then be used
   * again, or is lost. Rejects at once while another operation runs.
   */
  perform(operation: Operation, options: PerformOptions): Promise<Outcome>;
  /** Interrupts the operation that runs, if any. It resolves as interrupted by request. */
  interrupt(): void;
  /** Where SLIME can connect, if Swank was asked for. */
  readonly swankPort?: number | undefined;
  /** Settles when the Lisp is gone, with the reason: closed, killed after a timeout, exited by user code, crashed. */
  readonly lost: Promise<Loss>;
  /** Ends the Lisp and everything it started. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts Lisps of one kind. */
export interface Engine {
  readonly name: string;
  /** A new evaluator finds the definitions of the ones before it, because they share an image. */
  readonly keepsDefinitions?: true;
  /** Why no Lisp can be started and what to do about it, in one sentence; undefined when one can. */
  missing(): string | undefined;
  /** Rejects with a readable error when the Lisp can't be started or one of `load` fails. */
  start(options: StartOptions): Promise<Evaluator>;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Added to the environment that the engine was made with. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly heapMegabytes: number;
  /** Files loaded before the first operation. */
  readonly load?: readonly string[];
  /** Folders whose systems ASDF finds, whatever its configuration says. */
  readonly projects?: readonly string[];
  /** Starts Swank on the loopback interface; clients must send this secret. `Evaluator.swankPort` is then set. */
  readonly swankSecret?: string;
}

export interface PerformOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds until the operation is interrupted, and killed when that does not help. 0: no limit. */
  readonly timeout: number;
  readonly limits: TextLimits;
  /** Receives output while the operation runs, a few times a second at most. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Receives a line about each step of a long operation. */
  readonly onProgress?: (text: string) => void;
}

/** Longer texts are cut; the cut says how much was shown, and of how much if that is known. */
export interface TextLimits {
  /** Characters kept of each output stream. */
  readonly output: number;
  /** Characters kept of each printed value. */
  readonly value: number;
}

export type Operation =
  | {
      readonly kind: 'evaluate';
      readonly code: string;
      readonly package?: string | undefined;
      /** What `*standard-input*` gives; empty when absent. */
      readonly stdin?: string | undefined;
      /** `break` keeps the error open for the `debug` operations. Default `abort`. */
      readonly onError?: 'abort' | 'break' | undefined;
    }
  | { readonly kind: 'load-file'; readonly path: string }
  /** Replaces the folders of `StartOptions.projects`. */
  | { readonly kind: 'set-projects'; readonly folders: readonly string[] }
  | { readonly kind: 'open-swank'; readonly secret: string }
  | { readonly kind: 'load-system' | 'test-system'; readonly system: string }
  | ({ readonly kind: 'list-definitions' } & InPackage & Page)
  | ({ readonly kind: 'describe-symbol' | 'find-definition'; readonly symbol: string } & InPackage & Page)
  | ({ readonly kind: 'apropos'; readonly text: string } & InPackage & Page)
  | ({ readonly kind: 'complete-symbol'; readonly prefix: string } & InPackage & Page)
  | ({ readonly kind: 'find-references'; readonly symbol: string; readonly relation: Relation } & InPackage & Page)
  /** `full` expands until the form itself is not a macro form, `all` also its subforms. */
  | ({ readonly kind: 'macroexpand'; readonly form: string; readonly depth: 'once' | 'full' | 'all' } & InPackage)
  | ({ readonly kind: 'compile' | 'disassemble'; readonly form: string } & InPackage)
  | ({ readonly kind: 'profile'; readonly code: string } & InPackage)
  /** With `form` inspects its value, with `part` that part of the object inspected last, with neither goes back. */
  | ({ readonly kind: 'inspect'; readonly form?: string | undefined; readonly part?: number | undefined } & InPackage &
      Page)
  | ({ readonly kind: 'trace'; readonly functions: readonly string[] } & InPackage)
  /** All functions when none are named. */
  | ({ readonly kind: 'untrace'; readonly functions?: readonly string[] | undefined } & InPackage)
  | ({
      readonly kind: 'undefine';
      readonly symbol: string;
      readonly what?: 'function' | 'variable' | 'class' | undefined;
    } & InPackage)
  | { readonly kind: 'debug'; readonly action: DebugAction };

interface InPackage {
  readonly package?: string | undefined;
}

/** Which findings of a long list are wanted: from `offset` on, at most `limit`. */
interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export type Relation = 'calls' | 'callers' | 'references' | 'binders' | 'setters' | 'macroexpanders' | 'specializers';

export type DebugAction =
  /** `index` counts `error.restarts` from 0; `arguments` are forms, read and evaluated in the current package. */
  | { readonly do: 'restart'; readonly index: number; readonly arguments?: readonly string[] | undefined }
  /** `frame` counts `error.frames` from 0. */
  | { readonly do: 'locals'; readonly frame: number }
  | { readonly do: 'evaluate'; readonly frame: number; readonly form: string }
  | { readonly do: 'abort' };

/** The result of an operation. */
export interface Outcome {
  /** Whether it ended without an error and without failed tests. */
  readonly ok: boolean;
  /** Counts the operations of this Lisp; places of definitions name it. Absent when the Lisp was lost. */
  readonly call?: number | undefined;
  /** The current package afterwards. */
  readonly package: string;
  /** Printed values of the last form, each within its limit. Empty for operations that yield `findings`. */
  readonly values: readonly string[];
  /** Written since the operation before this one ended, by any thread. */
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings: readonly string[];
  /** How many warnings there were, if not all are in `warnings`. */
  readonly warningCount?: number | undefined;
  /** The result of an operation other than `evaluate`. */
  readonly findings?: readonly Finding[] | undefined;
  /** How many findings there are in all; absent when that is unknown. */
  readonly total?: number | undefined;
  /** Calls of traced functions, in order, and how many there were if that is more. */
  readonly calls?: readonly TracedCall[] | undefined;
  readonly callCount?: number | undefined;
  /** Of `test-system`. `library` is absent when the results of the tests could not be read. */
  readonly tests?: TestCounts | undefined;
  readonly error?: LispError | undefined;
  /**
   * An error is open in the debugger; `debug` operations are about it. Other operations work meanwhile; errors in them
   * are aborted and leave it open.
   */
  readonly debugging?: boolean | undefined;
  readonly interrupted?: 'timeout' | 'request' | undefined;
  /** The Lisp is gone, and why; nothing it knew is left. */
  readonly lost?: Loss;
  readonly timing: Timing;
}

/** One row of a list: a definition, a match, a caller, a slot, a local variable. */
export interface Finding {
  readonly kind: string;
  readonly name: string;
  readonly detail?: string;
  readonly place?: Place;
  /** Of the inspector: the number by which the operation `inspect` goes into it. */
  readonly part?: number;
}

/** Where code is: in a file, or in what the call with this number gave to the session. */
export interface Place {
  readonly file?: string;
  readonly call?: number;
  /** 1-based number of the top-level form. */
  readonly form?: number;
  /** 1-based line and 0-based column. */
  readonly line?: number;
  readonly column?: number;
}

export interface TracedCall {
  readonly depth: number;
  /** `exit` is a call that was left without returning. */
  readonly kind: 'call' | 'return' | 'exit';
  readonly text: string;
}

export interface TestCounts {
  readonly library?: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface LispError {
  /** The name of its class as the current package sees it: `DIVISION-BY-ZERO`, `SB-INT:SIMPLE-READER-ERROR`. */
  readonly type: string;
  /** Its class and superclasses, most specific first. */
  readonly types: readonly string[];
  readonly message: string;
  readonly phase: 'read' | 'compile' | 'evaluate' | 'print' | 'load';
  /** The file it is in, if it is in one. */
  readonly file?: string;
  /** 1-based number of the top-level form. */
  readonly form?: number;
  /** 1-based line and 0-based column where the form, or what the reader rejected, begins. */
  readonly line?: number;
  readonly column?: number;
  /** What to do about it. */
  readonly advice?: string;
  /** Empty unless the error is open: only then can one be chosen. */
  readonly restarts: readonly { readonly name: string; readonly description: string }[];
  /** User frames, innermost first: at most 8, or 50 of an error that is open. */
  readonly frames: readonly string[];
  /** How many user frames there are, if more. Only the innermost 300 frames of the stack are counted. */
  readonly frameCount?: number;
}

export interface Timing {
  readonly realMs: number;
  readonly runMs: number;
  readonly bytesConsed?: number | undefined;
}

export interface Loss {
  readonly kind: 'closed' | 'timeout' | 'exited' | 'crashed' | 'heap-exhausted';
  readonly message: string;
}
