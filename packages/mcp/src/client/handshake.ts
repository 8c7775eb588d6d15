import { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST, SUPPORTED_VERSIONS } from '../protocol/revisions/all.ts';
import { MetaKey, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type {
  ClientCapabilities,
  Implementation,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
} from '../protocol/types.ts';
import { type Era, type Finding, findEra, isUnreached } from './era.ts';

/** What a client says of itself. */
export interface ClientFacts {
  readonly info: Implementation;
  /** What to ask for with `initialize`. */
  readonly protocolVersion: string;
  /** Milliseconds for a server whose era is not known to answer `server/discover`. */
  readonly probeTimeout: number;
  readonly defaults: CallOptions;
  capabilities(): ClientCapabilities;
}

/** What the two have agreed on. */
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

/** How to begin: in a known era, or by finding out; a remembered era may have changed since. */
export type Beginning = { readonly era: Era | 'auto'; readonly remembered: Era | undefined };

/** Finds the server's era as far as it is not given, and agrees on a revision with it. */
export async function agree(
  ask: Ask,
  facts: ClientFacts,
  { era, remembered }: Beginning,
  options: CallOptions,
): Promise<Agreement> {
  const initialize = () => initializeWith(ask, facts, options);
  const discover = (timeout: CallOptions) =>
    findEra((revision) =>
      ask('server/discover', { _meta: statelessMeta(facts, revision) }, { ...options, ...timeout }),
    );
  if (era === 'session') return initialize();
  if (era === 'stateless' || remembered === 'stateless') {
    const found = await discover({});
    if (found.era === 'stateless') return agreementOf(found);
    if (era === 'auto') return initialize();
    throw new Error('The server did not answer server/discover as one of the stateless era does');
  }
  const found: Finding = remembered === 'session' ? { era: 'session', why: 'silence' } : await probe(discover, facts);
  if (found.era === 'stateless') return agreementOf(found);
  try {
    return await initialize();
  } catch (error) {
    // One that refuses initialize may have been too slow for the probe, or have changed since it was remembered.
    if (found.why !== 'silence' || !(error instanceof RpcError) || isUnreached(error)) throw error;
    const second = await discover({}).catch(() => found);
    if (second.era === 'stateless') return agreementOf(second);
    throw error;
  }
}

/** What every request of the stateless era says of the client. */
export function statelessMeta(facts: ClientFacts, revision: Revision): { [key: string]: unknown } {
  const { roots, tasks: _earlier, ...capabilities } = facts.capabilities();
  return {
    [MetaKey.protocolVersion]: revision.version,
    [MetaKey.clientInfo]: revision.shape.implementation(facts.info),
    [MetaKey.clientCapabilities]: {
      ...capabilities,
      ...(roots && { roots: {} }), // that they changed cannot be told any more
      extensions: { [TASKS_EXTENSION]: {}, ...capabilities.extensions },
    },
  };
}

function probe(discover: (timeout: CallOptions) => Promise<Finding>, { probeTimeout }: ClientFacts): Promise<Finding> {
  return discover({ timeout: probeTimeout, maxTimeout: probeTimeout });
}

async function initializeWith(ask: Ask, facts: ClientFacts, options: CallOptions): Promise<Agreement> {
  const { info, protocolVersion } = facts;
  const params = {
    protocolVersion,
    capabilities: facts.capabilities(),
    clientInfo: (findRevision(protocolVersion) ?? NEWEST).shape.implementation(info),
  } satisfies InitializeParams;
  const result = (await ask('initialize', params, options)) as InitializeResult | null;
  const revision = findRevision(result?.protocolVersion ?? '');
  if (result === null || revision === undefined) {
    const ours = SUPPORTED_VERSIONS.join(', ');
    throw new Error(`The server speaks MCP ${result?.protocolVersion ?? '(no version)'}; this client speaks ${ours}`);
  }
  const { serverInfo, instructions } = result;
  // Some servers put them there instead.
  const inside = (serverInfo as { capabilities?: ServerCapabilities } | undefined)?.capabilities;
  return { revision, server: { serverInfo, capabilities: result.capabilities ?? inside ?? {}, instructions } };
}

function agreementOf({ revision, discovered }: Finding & { readonly era: 'stateless' }): Agreement {
  const { capabilities, instructions, ...rest } = discovered;
  // Drafts put it beside the capabilities.
  const { _meta, serverInfo } = rest as { _meta?: { [key: string]: unknown }; serverInfo?: Implementation };
  const named = (_meta?.[MetaKey.serverInfo] as Implementation | undefined) ?? serverInfo;
  return { revision, server: { serverInfo: named, capabilities: capabilities as ServerCapabilities, instructions } };
}
