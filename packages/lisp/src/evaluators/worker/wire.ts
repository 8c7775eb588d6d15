import type {
  DebugAction,
  Finding,
  LispError,
  Operation,
  TestCounts,
  TextLimits,
  TracedCall,
} from '../../evaluator.ts';

/** A message of the worker, one JSON text a line. */
export type WorkerMessage =
  | { readonly kind: 'hello'; readonly engine: string }
  | {
      readonly kind: 'output';
      readonly id: number;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | { readonly kind: 'progress'; readonly id: number; readonly text: string }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: WireOutcome };

/** An outcome on the wire. Empty members are left out. */
export interface WireOutcome {
  readonly ok: boolean;
  readonly package: string;
  readonly values: readonly string[];
  readonly stdout?: string;
  readonly stderr?: string;
  readonly droppedStdout?: number;
  readonly droppedStderr?: number;
  readonly warnings?: readonly string[];
  readonly warningCount?: number;
  readonly findings?: readonly Finding[];
  readonly total?: number;
  readonly calls?: readonly TracedCall[];
  readonly callCount?: number;
  readonly tests?: TestCounts;
  readonly error?: LispError;
  readonly debugging?: boolean;
  readonly interrupted?: boolean;
  /** Output that was written past Lisp's streams may not be read yet. */
  readonly leaks?: boolean;
  readonly timing: { readonly realUs: number; readonly runMs: number; readonly bytesConsed?: number };
}

/** Throws when the line is not a message of the worker. */
export function decodeMessage(line: string): WorkerMessage {
  const message: Record<string, unknown> = JSON.parse(line);
  if (typeof message.outcome === 'number') {
    // The worker is ours: what it sends under this name has this shape.
    const outcome = message as unknown as WireOutcome;
    return { kind: 'outcome', id: message.outcome, outcome };
  }
  if (typeof message.output === 'number' && typeof message.text === 'string') {
    const stream = message.stream === 'stderr' ? 'stderr' : 'stdout';
    return { kind: 'output', id: message.output, stream, text: message.text };
  }
  if (typeof message.progress === 'number' && typeof message.text === 'string') {
    return { kind: 'progress', id: message.progress, text: message.text };
  }
  if (typeof message.hello === 'string') return { kind: 'hello', engine: message.hello };
  throw new Error(`The Lisp worker sent ${line.slice(0, 200)}`);
}

export function encodePerform(id: number, operation: Operation, limits: TextLimits): string {
  const bounds = `${Math.trunc(limits.output)} ${Math.trunc(limits.value)}`;
  const code = 'code' in operation ? operation.code : '';
  return frame(`${id} (:${operation.kind} ${bounds}${propertyList(argumentsOf(operation))})\n${code}`);
}

export function encodeInterrupt(id: number): string {
  return frame(`(:interrupt ${id})`);
}

/** `{ keyword }` is a keyword of Lisp. */
type Atom = string | number | { readonly keyword: string } | readonly string[] | undefined;

function argumentsOf(operation: Operation): Readonly<Record<string, Atom>> {
  switch (operation.kind) {
    case 'evaluate': {
      const { package: name, stdin, onError } = operation;
      return { package: name, stdin, onError: onError && { keyword: onError } };
    }
    case 'profile':
      return { package: operation.package };
    case 'macroexpand':
      return { form: operation.form, package: operation.package, depth: { keyword: operation.depth } };
    case 'find-references': {
      const { kind: _, relation, ...rest } = operation;
      return { ...rest, relation: { keyword: relation } };
    }
    case 'debug':
      return debugArguments(operation.action);
    default: {
      const { kind: _, ...rest } = operation;
      return rest;
    }
  }
}

function debugArguments(action: DebugAction): Readonly<Record<string, Atom>> {
  const { do: name, ...rest } = action;
  return { do: { keyword: name }, ...rest };
}

function propertyList(properties: Readonly<Record<string, Atom>>): string {
  let text = '';
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (value === undefined) continue;
    text += ` :${name === 'onError' ? 'on-error' : name} ${atom(value)}`;
  }
  return text;
}

function atom(value: Exclude<Atom, undefined>): string {
  if (typeof value === 'string') return lispString(value);
  if (typeof value === 'number') return String(Math.trunc(value));
  if ('keyword' in value) return `:${value.keyword}`;
  return `(${value.map(lispString).join(' ')})`;
}

/** A string as Lisp reads it. */
export function lispString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A text framed for the worker: its length in bytes, a line end, and the text. */
export function frame(text: string): string {
  return `${Buffer.byteLength(text)}\n${text}`;
}
