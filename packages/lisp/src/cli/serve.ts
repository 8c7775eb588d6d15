import { existsSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Connection, Server } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { inMilliseconds } from '../durations.ts';
import type { Engine, Evaluator } from '../evaluator.ts';
import type { ImageAddress } from '../evaluators/attached/attachment.ts';
import { attachedEngine } from '../evaluators/attached/engine.ts';
import { eclEngine } from '../evaluators/ecl/engine.ts';
import { sbclEngine } from '../evaluators/sbcl/engine.ts';
import { addPrompts } from '../prompts/add-prompts.ts';
import { addResources } from '../resources/add-resources.ts';
import { Roots } from '../roots.ts';
import { DEFAULT_LIMITS, Sessions } from '../sessions.ts';
import { addTools, type ToolChoice } from '../tools/all.ts';
import { cacheFolderIn, type Environment } from './environment.ts';
import { knownSecret, swankSecretIn } from './swank-secret.ts';
import { UsageError } from './usage-error.ts';

export const ENGINES = ['sbcl', 'ecl'] as const;
export type EngineName = (typeof ENGINES)[number];

const USERINIT_FILES: Readonly<Record<EngineName, string>> = { sbcl: '.sbclrc', ecl: '.eclrc' };

/** Where a user's image listens for the editor. */
export type AttachAddress = Omit<ImageAddress, 'secret'>;

export interface ServeOptions {
  readonly engine: EngineName;
  /** Put before the command line of the Lisp. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly project: readonly string[];
  readonly load: readonly string[];
  /** Load the user's own init file: `true` is the engine's default file. */
  readonly userinit: string | true | undefined;
  readonly swank: boolean;
  /** Serve an image that runs Swank or Slynk, instead of starting Lisps. */
  readonly attach: AttachAddress | undefined;
  readonly tools: ToolChoice;
  /** Megabytes, seconds, minutes and a number; the defaults where absent. */
  readonly heap: number | undefined;
  readonly timeout: number | undefined;
  readonly loadTimeout: number | undefined;
  readonly idle: number | undefined;
  readonly maxSessions: number | undefined;
}

export interface Serving {
  /** Settles when the client is gone and every Lisp has ended. */
  readonly ended: Promise<void>;
  /** Something has failed in the process: calls that may wait for it are interrupted and answered. */
  failed(error: unknown): void;
  /** Answers open requests, ends every Lisp, and lets `ended` settle. Safe to call twice. */
  close(): Promise<void>;
}

/** How long an answer may take after the client has closed its side. */
const DRAIN_MS = 2000;
const END_LISPS_MS = 5000;

const INSTRUCTIONS = `Evaluates Common Lisp in sessions that keep their state.
Use evaluate-lisp for code, load-system and test-system for projects (.asd files below the working directory are known), find-definition and describe-symbol to look things up. Sessions are separate Lisp processes: name another one to keep things apart, call reset-session to start afresh. After a timeout the session keeps its state unless the answer says that it was lost. To look into an error, evaluate with on-error "break" and call debugger.`;

/** Serves Lisp sessions to the client at the other end of the connection. */
export function serve(connection: Connection, options: ServeOptions, environment: Environment): Serving {
  const sessions = openSessions(options, environment);
  const server = new Server(
    { name: 'hawser-lisp', title: 'Common Lisp', version: environment.version },
    {
      instructions: INSTRUCTIONS,
      // The lists never change.
      capabilities: { tools: {}, resources: {}, prompts: {} },
      limits: { drainTimeout: DRAIN_MS },
    },
  );
  addTools({ server, sessions, roots: new Roots(sessions) }, options.tools);
  addResources(server, sessions);
  addPrompts(server);
  const session = server.connect(connection);
  return {
    ended: session.closed.then(() => within(END_LISPS_MS, sessions.closeAll())),
    failed: (error) => sessions.serverFailed(messageOf(error)),
    close: () => server.close('The server is ending'),
  };
}

function openSessions(options: ServeOptions, environment: Environment): Sessions {
  const { heap, timeout, loadTimeout, idle, maxSessions } = options;
  const cwd = options.cwd === undefined ? environment.cwd : folder(resolve(environment.cwd, options.cwd), '--cwd');
  const userinit = userinitFile(options, environment);
  const load = options.load.map((file) => existing(resolve(environment.cwd, file), '--load'));
  return new Sessions(makeEngine(options, environment), {
    limits: {
      idle: idle === undefined ? DEFAULT_LIMITS.idle : inMilliseconds(idle, 'minutes'),
      timeout: timeout === undefined ? DEFAULT_LIMITS.timeout : inMilliseconds(timeout, 'seconds'),
      loadTimeout: loadTimeout === undefined ? DEFAULT_LIMITS.loadTimeout : inMilliseconds(loadTimeout, 'seconds'),
      ...(maxSessions !== undefined && { maxSessions }),
      ...(heap !== undefined && { heapMegabytes: heap }),
    },
    start: {
      cwd,
      environment: options.env,
      load: userinit === undefined ? load : [userinit, ...load],
      projects: [cwd, ...options.project.map((dir) => folder(resolve(environment.cwd, dir), '--project'))],
      ...(options.swank && { swankSecret: swankSecretIn(environment.home, environment.stderr) }),
    },
    startNote: (evaluator) => startNote(evaluator, userinit),
  });
}

/** What the first answer of a Lisp says about its start. */
function startNote({ swankPort }: Evaluator, userinit: string | undefined): string | undefined {
  const notes = [
    userinit !== undefined && `Loaded ${userinit}.`,
    swankPort !== undefined && `Swank listens on 127.0.0.1:${swankPort}: the user can call M-x slime-connect.`,
  ];
  const said = notes.filter((note) => note !== false).join(' ');
  return said === '' ? undefined : said;
}

function userinitFile({ userinit, engine }: ServeOptions, { cwd, home, stderr }: Environment): string | undefined {
  if (userinit === undefined) return undefined;
  if (userinit !== true) return existing(resolve(cwd, userinit), '--userinit');
  const file = join(home, USERINIT_FILES[engine]);
  if (existsSync(file)) return file;
  stderr(`hawser-lisp: --userinit: there is no ${file}, so nothing is loaded`);
  return undefined;
}

function makeEngine({ engine, command, attach }: ServeOptions, environment: Environment): Engine {
  const { variables, home, xdgCacheHome } = environment;
  if (attach !== undefined) {
    const secret = knownSecret(attach.server, home);
    return attachedEngine({ ...attach, ...(secret !== undefined && { secret }) });
  }
  const program = environment.programs[engine];
  const common = { environment: variables, command, ...(program !== undefined && program !== '' && { program }) };
  switch (engine) {
    case 'sbcl':
      return sbclEngine({ ...common, cacheFolder: cacheFolderIn(home, xdgCacheHome) });
    case 'ecl':
      return eclEngine(common);
  }
}

function folder(path: string, option: string): string {
  if (statusOf(path)?.isDirectory()) return path;
  throw new UsageError(`${option}: there is no folder ${path}`);
}

function existing(path: string, option: string): string {
  if (statusOf(path)?.isFile()) return path;
  throw new UsageError(`${option}: there is no file ${path}`);
}

/** Undefined if the path can't be reached: `throwIfNoEntry` covers only what is missing in a folder. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
