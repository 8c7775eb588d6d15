import {
  type OptionNames,
  requireChoice,
  requireFunction,
  requireKnownOptions,
  requireLimit,
  requireMembers,
} from '../jsonrpc/argument-checks.ts';
import { TOTAL_LIMITS, type TotalLimits } from '../jsonrpc/in-flight.ts';
import { DEFAULT_LIMITS, type PeerLimits } from '../jsonrpc/limits.ts';
import type { ServerCapabilities, SessionState } from '../protocol/types.ts';
import type { ErrorHandler } from './error-report.ts';
import type { EventBus } from './event-bus.ts';
import type { ResourceLimits } from './features/resources.ts';
import type { Negotiation } from './handshake.ts';
import type { Observe } from './observation.ts';
import type { ServerSession } from './session.ts';
import type { Caching } from './stateless/stateless-requests.ts';
import type { OnSubscribers } from './subscribers.ts';
import type { TaskPersistence } from './tasks/tasks.ts';

export interface ServerOptions {
  /** How to use this server, for the client's model. */
  readonly instructions?: string;
  /** Overrides, key by key, the capabilities that follow from what is registered. */
  readonly capabilities?: ServerCapabilities;
  /** Default `lenient`. */
  readonly negotiation?: Negotiation;
  /** Accept an `initialize` without `clientInfo`, which every revision requires. Default false. */
  readonly admitAnonymousClients?: boolean;
  /** Respond to everything from `initialize` on, without waiting for `notifications/initialized`. Default false. */
  readonly admitBeforeInitialized?: boolean;
  /** How many entries one page of a list holds. Default 1000. */
  readonly pageSize?: number;
  readonly limits?: ServerLimits;
  /** Offers tasks, an extension of 2026-07-28, to clients that know them: see `context.task`. */
  readonly tasks?: TaskPersistence;
  /** How long, and for whom, clients of 2026-07-28 may cache lists and resources. Default: not at all. */
  readonly caching?: Caching;
  /**
   * Signs the state that clients of 2026-07-28 carry. Processes that share their clients need the same. Default: that of `bus` or
   * `tasks.store`, which those in Redis have; otherwise random.
   */
  readonly stateSecret?: string | Uint8Array;
  /** Carries changes to the clients of other processes. Default: only the clients of this process are notified. */
  readonly bus?: EventBus;
  /** Called when a session enters a state, `waiting` first. */
  readonly onState?: (session: ServerSession, state: SessionState) => void;
  /**
   * Called when the number of clients of this process that are subscribed to a resource changes: to watch it while there are some,
   * for example, and call `server.resourceUpdated(uri)`.
   */
  readonly onSubscribers?: OnSubscribers;
  /**
   * Called for each session before its first message, and for each stateless request over HTTP with undefined. What it
   * returns sees every message in both directions.
   */
  readonly observe?: Observe;
  /**
   * Hides the messages of errors that handlers of resources, prompts and custom requests, or middleware, throw: clients get an id
   * that `onError` gets, too. An RpcError, and what a tool throws, is meant for the client. Default: on if the environment
   * variable NODE_ENV is `production`.
   */
  readonly maskErrors?: boolean;
  /** Called with what handlers and other callbacks throw, and with failures in the background. Default: stderr. */
  readonly onError?: ErrorHandler;
}

const NAMES: OptionNames<ServerOptions> = {
  instructions: true,
  capabilities: true,
  negotiation: true,
  admitAnonymousClients: true,
  admitBeforeInitialized: true,
  pageSize: true,
  limits: true,
  tasks: true,
  caching: true,
  stateSecret: true,
  bus: true,
  onState: true,
  onSubscribers: true,
  observe: true,
  onError: true,
  maskErrors: true,
};
const LIMITS: OptionNames<ServerLimits> = {
  ...DEFAULT_LIMITS,
  ...TOTAL_LIMITS,
  maxUriLength: true,
  maxSubscriptions: true,
  preset: true,
};
const TASKS: OptionNames<TaskPersistence> = {
  ttlMs: true,
  maxTasks: true,
  maxTasksPerClient: true,
  store: true,
  leaseMs: true,
};
const CALLBACKS = ['onState', 'onSubscribers', 'observe', 'onError'] as const;

/** Throws a TypeError or a RangeError for an option of a wrong type, or one that does not exist. */
export function checkServerOptions(options: ServerOptions): void {
  requireKnownOptions('new Server', options, NAMES);
  const { negotiation = 'lenient', limits = {}, tasks = {}, pageSize = 1, stateSecret, bus } = options;
  requireChoice('new Server', 'negotiation', negotiation, ['lenient', 'strict']);
  for (const name of CALLBACKS) if (options[name] !== undefined) requireFunction('new Server', name, options[name]);
  requireKnownOptions('new Server: limits', limits, LIMITS);
  const { respondToCancelled: _, preset = 'local', ...numbers } = limits;
  requireChoice('new Server', 'limits.preset', preset, ['local', 'public']);
  for (const [name, value] of Object.entries(numbers)) requireLimit('new Server', `limits.${name}`, value);
  requireKnownOptions('new Server: tasks', tasks, TASKS);
  const { store: _store, ...numbersOfTasks } = tasks;
  for (const [name, value] of Object.entries(numbersOfTasks)) requireLimit('new Server', `tasks.${name}`, value);
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw new RangeError(`new Server: pageSize must be a positive integer, got ${String(pageSize)}`);
  // A secret is often read from an environment variable, and that may be empty.
  if (stateSecret !== undefined && !stateSecret.length)
    throw new TypeError('new Server: stateSecret is empty. Give it at least 32 random characters, or leave it out');
  if (bus !== undefined) requireMembers('new Server: bus', 'an EventBus', bus, ['publish', 'listen', 'read']);
}

export interface ServerLimits extends PeerLimits, TotalLimits, ResourceLimits {
  /** Where the server runs, which decides the defaults of its limits: see SERVER_LIMIT_PRESETS. */
  readonly preset?: 'local' | 'public';
}

/** `local` for one user on one machine, `public` for anyone who can reach the server. */
export const SERVER_LIMIT_PRESETS: { readonly [Preset in 'local' | 'public']: Omit<ServerLimits, 'preset'> } = {
  local: { maxInFlightBytes: 256 * 1024 * 1024 },
  public: {
    maxInFlight: 64,
    maxInFlightBytes: 8 * 1024 * 1024,
    maxBatch: 100,
    maxUriLength: 2048,
    maxSubscriptions: 100,
  },
};

/** The limits that are given, and those of the preset. */
export function limitsOf({ preset, ...given }: ServerLimits = {}): Omit<ServerLimits, 'preset'> {
  return preset === undefined ? given : { ...SERVER_LIMIT_PRESETS[preset], ...given };
}

/** The secret that other processes have, too; undefined when there is none. */
export function secretOf({ stateSecret, bus, tasks }: ServerOptions): string | Uint8Array | undefined {
  return stateSecret ?? bus?.stateSecret ?? tasks?.store?.stateSecret;
}
