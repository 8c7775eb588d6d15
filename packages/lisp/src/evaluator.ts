/**
 * One Lisp with its state: what one operation defines, the next one finds. Operations run one at a time, in the order
 * they were given; whoever needs a queue across callers keeps it.
 */
export interface Evaluator {
  /** Which engine and version ran, such as `SBCL 2.2.9`; part of every answer. */
  readonly engine: string;
  /**
   * Performs one operation and always resolves, whatever the Lisp code does: errors of Lisp code, timeouts,
   * interruptions and the loss of the process are outcomes, not exceptions. Rejects only with the signal's reason, and
   * then the operation has been interrupted and the evaluator can be used again (or is lost: see `lost`).
   */
  perform(operation: Operation, options: PerformOptions): Promise<Outcome>;
  /** Interrupts what runs now, if anything; it resolves as interrupted by request. */
  interrupt(): void;
  /** Settles when the Lisp is gone, with the reason: closed, killed after a timeout, exited by user code, crashed. */
  readonly lost: Promise<Loss>;
  /** Ends the Lisp and everything it started. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts Lisps of one kind. */
export interface Engine {
  readonly name: string;
  /** Why no Lisp can be started here and what to do about it, in one sentence; undefined when one can. */
  missing(): string | undefined;
  /** Rejects, with a sentence for people, when the Lisp cannot be started or one of `load` fails. */
  start(options: StartOptions): Promise<Evaluator>;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Added to the environment that the engine was made with. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly heapMegabytes: number;
  /** Files loaded before the first operation. */
  readonly load?: readonly string[];
}

export interface PerformOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds until the operation is interrupted, and killed when that does not help. 0: no limit. */
  readonly timeout: number;
  readonly limits: TextLimits;
  /** Hears output as it comes, a few times a second at most. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** What is longer is cut and ends with `… (N more characters)`, or with `…` when nobody knows how many. */
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
  | { readonly kind: 'load-system'; readonly system: string }
  | { readonly kind: 'list-definitions'; readonly package?: string | undefined }
  | { readonly kind: 'describe-symbol'; readonly symbol: string; readonly package?: string | undefined }
  | { readonly kind: 'apropos'; readonly text: string; readonly package?: string | undefined }
  /** `full` expands until the form itself is no macro call; its subforms stay as they are. */
  | {
      readonly kind: 'macroexpand';
      readonly form: string;
      readonly package?: string | undefined;
      readonly depth: 'once' | 'full';
    }
  | { readonly kind: 'compile'; readonly form: string; readonly package?: string | undefined }
  | {
      readonly kind: 'xref';
      readonly symbol: string;
      readonly package?: string | undefined;
      readonly relation: Relation;
    }
  | { readonly kind: 'inspect'; readonly form: string; readonly package?: string | undefined }
  | { readonly kind: 'debug'; readonly action: DebugAction };

export type Relation = 'calls' | 'callers' | 'references' | 'binders' | 'setters' | 'macroexpanders' | 'specializers';

export type DebugAction =
  /** `index` counts `error.restarts` from 0; `arguments` are forms, read and evaluated in the current package. */
  | { readonly do: 'restart'; readonly index: number; readonly arguments?: readonly string[] | undefined }
  /** `frame` counts `error.frames` from 0. */
  | { readonly do: 'locals'; readonly frame: number }
  | { readonly do: 'evaluate'; readonly frame: number; readonly form: string }
  | { readonly do: 'abort' };

/** What became of an operation. */
export interface Outcome {
  readonly ok: boolean;
  /** The current package afterwards. */
  readonly package: string;
  /** Printed values of the last form, each within its limit. Empty for operations that yield `findings`. */
  readonly values: readonly string[];
  /** Written since the operation before this one ended, by whatever thread. */
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings: readonly string[];
  /** What an operation other than `evaluate` found. A last one of kind `more` says that there was more than fits. */
  readonly findings?: readonly Finding[] | undefined;
  readonly error?: LispError | undefined;
  /**
   * The debugger is open, now or still; `debug` operations are about the error it was opened on. Other operations work
   * meanwhile, on top of it; errors in them are aborted and leave it open.
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
}

export interface LispError {
  /** The name of its class as the current package sees it: `DIVISION-BY-ZERO`, `SB-INT:SIMPLE-READER-ERROR`. */
  readonly type: string;
  /** Its class and superclasses, most specific first. */
  readonly types: readonly string[];
  readonly message: string;
  readonly phase: 'read' | 'compile' | 'evaluate' | 'print' | 'load';
  /** 1-based number of the top-level form. */
  readonly form?: number;
  /** 1-based line and 0-based column where the form, or the reader's complaint, begins. */
  readonly line?: number;
  readonly column?: number;
  readonly restarts: readonly { readonly name: string; readonly description: string }[];
  /** User frames, innermost first, at most 8. */
  readonly frames: readonly string[];
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
