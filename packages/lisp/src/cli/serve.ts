import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Connection, Server } from '@hawser/mcp';
import { inMilliseconds } from '../durations.ts';
import type { Engine } from '../evaluator.ts';
import { eclEngine } from '../evaluators/ecl/engine.ts';
import { sbclEngine } from '../evaluators/sbcl/engine.ts';
import { DEFAULT_LIMITS, Sessions } from '../sessions.ts';
import { addTools } from '../tools/all.ts';
import { cacheFolderIn, type Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

export const ENGINES = ['sbcl', 'ecl'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface ServeOptions {
  readonly engine: EngineName;
  /** Put before the command line of the Lisp. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly load: readonly string[];
  /** Megabytes, seconds, minutes and a number; the defaults where absent. */
  readonly heap: number | undefined;
  readonly timeout: number | undefined;
  readonly idle: number | undefined;
  readonly maxSessions: number | undefined;
}

export interface Serving {
  /** Settles when the client is gone and every Lisp has ended. */
  readonly ended: Promise<void>;
  /** Answers what is open, ends every Lisp, and lets `ended` settle. Safe to call twice. */
  close(): Promise<void>;
}

/** How long an answer may take after the client has said its last word. */
const DRAIN_MS = 2000;
const END_LISPS_MS = 5000;

const INSTRUCTIONS = `Evaluates Common Lisp in sessions that keep their state.
Use evaluate-lisp for everything; the other tools look into a session or manage it. Each session is a Lisp process of its own: name another to keep things apart, reset-session to begin anew. After a timeout the session lives on unless the answer says that it was lost. To look into an error, evaluate with on-error "break" and use the debugger tool. validate-syntax finds unbalanced parentheses without evaluating anything.`;

/** Serves Lisp sessions to the client at the other end of the connection. */
export function serve(connection: Connection, options: ServeOptions, environment: Environment): Serving {
  const sessions = openSessions(options, environment);
  const server = new Server(
    { name: 'hawser-lisp', title: 'Common Lisp', version: environment.version },
    // The tools never change.
    { instructions: INSTRUCTIONS, capabilities: { tools: {} }, limits: { drainTimeout: DRAIN_MS } },
  );
  addTools(server, sessions);
  const session = server.connect(connection);
  return {
    ended: session.closed.then(() => within(END_LISPS_MS, sessions.closeAll())),
    close: () => server.close('The server was told to end'),
  };
}

function openSessions(options: ServeOptions, environment: Environment): Sessions {
  const { heap, timeout, idle, maxSessions } = options;
  return new Sessions(makeEngine(options, environment), {
    limits: {
      idle: idle === undefined ? DEFAULT_LIMITS.idle : inMilliseconds(idle, 'minutes'),
      timeout: timeout === undefined ? DEFAULT_LIMITS.timeout : inMilliseconds(timeout, 'seconds'),
    },
    ceilings: {
      ...(maxSessions !== undefined && { maxSessions }),
      ...(heap !== undefined && { heapMegabytes: heap }),
    },
    start: {
      cwd: options.cwd === undefined ? environment.cwd : folder(resolve(environment.cwd, options.cwd)),
      environment: options.env,
      load: options.load.map((file) => existing(resolve(environment.cwd, file))),
    },
  });
}

function makeEngine({ engine, command }: ServeOptions, environment: Environment): Engine {
  const { variables, home, xdgCacheHome } = environment;
  const program = environment.programs[engine];
  const common = { environment: variables, command, ...(program !== undefined && program !== '' && { program }) };
  switch (engine) {
    case 'sbcl':
      return sbclEngine({ ...common, cacheFolder: cacheFolderIn(home, xdgCacheHome) });
    case 'ecl':
      return eclEngine(common);
  }
}

function folder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`There is no folder ${path}; name one with --cwd`);
}

function existing(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new UsageError(`There is no file ${path} to load; name one with --load`);
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
