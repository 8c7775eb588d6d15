import { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { HttpError } from '../protocol/http-error.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST, SUPPORTED_VERSIONS } from '../protocol/revisions/all.ts';
import { clip, kindOf } from '../protocol/schema/problem.ts';
import { MetaKey, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type { ClientCapabilities, Implementation, InitializeParams, ServerCapabilities } from '../protocol/types.ts';
import { type Discovery, discoverServer, isUnreached } from './discovery.ts';
import type { JsonObject } from './response-check.ts';

/** How a client agrees on a revision with a server: with `initialize`, with `server/discover`, or with either. */
export type NegotiationMode = 'auto' | 'initialize' | 'discover';

/** What the sessions of one client have in common. */
export interface ClientSettings {
  readonly info: Implementation;
  /** The revision to ask for with `initialize`. */
  readonly protocolVersion: string;
  /** Milliseconds for a server of unknown kind to respond to `server/discover`. */
  readonly probeTimeout: number;
  /** Of calls that do not say otherwise. */
  readonly timeout: number;
  capabilities(): ClientCapabilities;
}

/** What client and server have agreed on. */
export interface Agreement {
  readonly revision: Revision;
  readonly server: ServerFacts;
}

export interface ServerFacts {
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

type Ask = (method: string, params: Params, options: CallOptions) => Promise<unknown>;

/** `known` is the kind that this server had before; it may have changed. */
export type HandshakePlan = { readonly mode: NegotiationMode; readonly known: Discovery['kind'] | undefined };

/** Finds the kind of the server, if the mode does not say it, and agrees on a revision with it. */
export async function negotiate(
  ask: Ask,
  settings: ClientSettings,
  { mode, known }: HandshakePlan,
  options: CallOptions,
): Promise<Agreement> {
  const initialize = () => initializeWith(ask, settings, options);
  const discover = (limits: CallOptions) =>
    discoverServer((revision) =>
      ask('server/discover', { _meta: statelessMeta(settings, revision) }, { ...options, ...limits }),
    );
  if (mode === 'initialize') return initialize();
  if (mode === 'discover' || known === 'stateless') {
    const found = await discover({});
    if (found.kind === 'stateless') return agreementOf(found);
    if (mode === 'auto') return initialize();
    throw new Error('The server did not respond to server/discover as a stateless server does');
  }
  const found: Discovery =
    known === 'session'
      ? { kind: 'session', why: 'silence' }
      : await discover({ timeout: shorter(settings.probeTimeout, options.timeout ?? settings.timeout) });
  if (found.kind === 'stateless') return agreementOf(found);
  try {
    return await initialize();
  } catch (error) {
    // A server that refuses initialize may have been too slow for the probe, or have changed.
    const isRefusal = (error instanceof RpcError || error instanceof HttpError) && !isUnreached(error);
    if (found.why !== 'silence' || !isRefusal) throw error;
    const second = await discover({}).catch(() => found);
    if (second.kind === 'stateless') return agreementOf(second);
    throw error;
  }
}

/** What every stateless request says about the client. */
export function statelessMeta(settings: ClientSettings, revision: Revision): { [key: string]: unknown } {
  const { roots, tasks: _earlier, ...capabilities } = settings.capabilities();
  return {
    [MetaKey.protocolVersion]: revision.version,
    [MetaKey.clientInfo]: revision.shape.implementation(settings.info),
    [MetaKey.clientCapabilities]: {
      ...capabilities,
      ...(roots && { roots: {} }), // stateless servers cannot be notified of changed roots
      extensions: { [TASKS_EXTENSION]: {}, ...capabilities.extensions },
    },
  };
}

/** The shorter of two timeouts, in which 0 is no limit. */
function shorter(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
}

async function initializeWith(ask: Ask, settings: ClientSettings, options: CallOptions): Promise<Agreement> {
  const { info, protocolVersion } = settings;
  const params = {
    protocolVersion,
    capabilities: settings.capabilities(),
    clientInfo: (findRevision(protocolVersion) ?? NEWEST).shape.implementation(info),
  } satisfies InitializeParams;
  const result = objectOf(await ask('initialize', params, options)) ?? {};
  const version = typeof result.protocolVersion === 'string' ? result.protocolVersion : '';
  const revision = findRevision(version);
  if (revision === undefined) {
    const named = version === '' ? '(no version)' : clip(version, 40);
    throw new Error(`The server speaks MCP ${named}; this client speaks ${SUPPORTED_VERSIONS.join(', ')}`);
  }
  // Some servers put the capabilities into serverInfo.
  const capabilities = result.capabilities ?? objectOf(result.serverInfo)?.capabilities;
  return { revision, server: serverFacts(result.serverInfo, capabilities, result.instructions) };
}

function agreementOf({ revision, discovered }: Discovery & { readonly kind: 'stateless' }): Agreement {
  // Drafts put serverInfo beside the capabilities.
  const { capabilities, instructions, _meta, serverInfo } = discovered as DiscoverResult;
  const info = objectOf(_meta)?.[MetaKey.serverInfo] ?? serverInfo;
  return { revision, server: serverFacts(info, capabilities, instructions) };
}

type DiscoverResult = { [member in 'capabilities' | 'instructions' | '_meta' | 'serverInfo']?: unknown };

/** Undefined for a value of a wrong type. */
function serverFacts(info: unknown, capabilities: unknown, instructions: unknown): ServerFacts {
  const declared = Object.entries(objectOf(capabilities) ?? {}).filter(([, value]) => objectOf(value) !== undefined);
  return {
    serverInfo: objectOf(info) as Implementation | undefined,
    capabilities: Object.fromEntries(declared),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function objectOf(value: unknown): JsonObject | undefined {
  return kindOf(value) === 'object' ? (value as JsonObject) : undefined;
}
