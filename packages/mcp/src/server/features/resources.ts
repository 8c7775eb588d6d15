import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { finished } from '../../jsonrpc/thenable.ts';
import type { TemplateVariables, VariableNames } from '../../protocol/infer-template.ts';
import type { Principal } from '../../protocol/origin.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../../protocol/types.ts';
import { compileUriTemplate, type UriTemplate } from '../../protocol/uri-template.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import type { Completer } from './completion.ts';
import { describeKind, problemOfContents } from './content-block.ts';
import { type Listable, type ListedKind, type ListedRegistration, Listing, type Paging } from './listing.ts';
import { checkName, checkShape, checkUri } from './registration-checks.ts';

/** A text, contents with their own type, or several contents, also as the whole result `{ contents }`. */
export type ResourceOutcome =
  | string
  | Partial<ResourceContents>
  | readonly ResourceContents[]
  | { readonly contents: readonly ResourceContents[] };
export type ResourceReader = (
  uri: string,
  context: RequestContext,
) => ResourceOutcome | undefined | Promise<ResourceOutcome | undefined>;
/** Gets the template's variables; returns undefined when there is no such resource. */
export type TemplateReader<Variables = { readonly [name: string]: string }> = (
  variables: Variables,
  uri: string,
  context: RequestContext,
) => ResourceOutcome | undefined | Promise<ResourceOutcome | undefined>;

/** A resource with a fixed URI. */
export interface ResourceDefinition extends Resource, Listable {}

export interface TemplateDefinition<Template extends string = string> extends ResourceTemplate, Listable {
  readonly uriTemplate: Template;
  /** Suggests values for the variables, by name. */
  readonly complete?: { readonly [Name in VariableNames<Template>]?: Completer };
}

export type { TemplateVariables };

export interface TemplateEntry {
  readonly template: ResourceTemplate;
  readonly pattern: UriTemplate;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly read: TemplateReader;
}

/** A resource, or a template, that was added. */
export type ResourceRegistration = ListedRegistration<ResourceDefinition, ResourceReader>;
export type TemplateRegistration = ListedRegistration<TemplateDefinition, TemplateReader<never>>;

interface ResourceEntry {
  readonly resource: Resource;
  readonly read: ResourceReader;
}

export interface ResourceLimits {
  /** A longer URI is refused with an error. Default 8192 characters. */
  readonly maxUriLength?: number;
  /** Subscriptions of one session; more are refused with an error. Default 1000. */
  readonly maxSubscriptions?: number;
}

export const RESOURCE_LIMITS = {
  maxUriLength: 8192,
  maxSubscriptions: 1000,
  /** Of all URIs that one session or one `subscriptions/listen` may subscribe to. */
  maxSubscribedChars: 256 * 1024,
} as const;

/** The resources of a server, fixed ones and templates. */
export class Resources {
  /** Those with a fixed URI. */
  readonly fixed: Listing<ResourceDefinition, ResourceReader, ResourceEntry>;
  readonly templates: Listing<TemplateDefinition, TemplateReader<never>, TemplateEntry>;
  readonly #maxUriLength: number;
  readonly #maxSubscriptions: number;

  constructor(paging: Paging, limits: ResourceLimits, changed: () => void) {
    this.#maxUriLength = limits.maxUriLength ?? RESOURCE_LIMITS.maxUriLength;
    this.#maxSubscriptions = limits.maxSubscriptions ?? RESOURCE_LIMITS.maxSubscriptions;
    this.fixed = new Listing(RESOURCE, paging, changed);
    this.templates = new Listing(TEMPLATE, paging, changed);
  }

  get used(): boolean {
    return this.fixed.used || this.templates.used;
  }

  /** Those of the URIs that exist for the principal. Stops at the first that is beyond a limit. */
  subscribable(uris: readonly string[], principal: Principal | undefined): string[] {
    const found: string[] = [];
    let chars = 0;
    for (const uri of uris.slice(0, this.#maxSubscriptions)) {
      chars += uri.length;
      if (chars > RESOURCE_LIMITS.maxSubscribedChars) break;
      if (this.#has(uri, principal)) found.push(uri);
    }
    return found;
  }

  /** Whether there is a resource with this URI or a template that matches it. */
  #has(uri: string, principal: Principal | undefined): boolean {
    if (uri.length > this.#maxUriLength) return false;
    if (this.fixed.get(uri, principal) !== undefined) return true;
    return [...this.templates.visibleTo(principal)].some(({ pattern }) => pattern.match(uri) !== undefined);
  }

  get completes(): boolean {
    return [...this.templates.values()].some(({ complete }) => complete.size > 0);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['resources/list', (params, context) => this.fixed.page(params, context)],
      ['resources/templates/list', (params, context) => this.templates.page(params, context)],
      ['resources/read', (params, context) => this.#read(this.#uriOf(params, 'resources/read'), context)],
      [
        'resources/subscribe',
        (params, { session, revision, principal }) => {
          const uri = this.#uriOf(params, 'resources/subscribe');
          if (!this.#has(uri, principal)) throw notFound(uri, revision);
          this.#requireRoom(session.subscriptions, uri);
          session.subscribe(uri);
        },
      ],
      [
        'resources/unsubscribe',
        (params, { session }) => session.unsubscribe(this.#uriOf(params, 'resources/unsubscribe')),
      ],
    ];
  }

  #read(uri: string, context: RequestContext): unknown {
    const fixed = this.fixed.get(uri, context.principal);
    if (fixed !== undefined) {
      const { resource, read } = fixed;
      return run(() => read(uri, context), uri, resource, context);
    }
    for (const { pattern, read, template } of this.templates.visibleTo(context.principal)) {
      const variables = pattern.match(uri);
      if (variables !== undefined) return run(() => read(variables, uri, context), uri, template, context);
    }
    throw notFound(uri, context.revision);
  }

  /** Throws RpcError when one subscription more is too much. */
  #requireRoom(subscribed: ReadonlySet<string>, uri: string): void {
    if (subscribed.has(uri)) return;
    let chars = uri.length;
    for (const each of subscribed) chars += each.length;
    const isFull = subscribed.size >= this.#maxSubscriptions;
    if (!isFull && chars <= RESOURCE_LIMITS.maxSubscribedChars) return;
    const limit = isFull ? String(this.#maxSubscriptions) : `${RESOURCE_LIMITS.maxSubscribedChars} characters of URIs`;
    const message = `Subscription limit reached (${limit}). Unsubscribe from a resource first.`;
    throw new RpcError(ErrorCode.LimitReached, message);
  }

  #uriOf(params: Params | undefined, method: string): string {
    const { uri } = (params ?? {}) as { uri?: unknown };
    if (typeof uri !== 'string') throw invalidParams(method, 'uri must be a string');
    if (uri.length <= this.#maxUriLength) return uri;
    throw invalidParams(method, `uri has ${uri.length} characters; at most ${this.#maxUriLength} are accepted`);
  }
}

const RESOURCE: ListedKind<ResourceDefinition, ResourceReader, ResourceEntry> = {
  noun: 'resource',
  member: 'resources',
  make: makeResource,
  wire: ({ resource }, { shape }) => shape.resource(resource),
};

const TEMPLATE: ListedKind<TemplateDefinition, TemplateReader<never>, TemplateEntry> = {
  noun: 'resource template',
  member: 'resourceTemplates',
  make: makeTemplate,
  wire: ({ template }, { shape }) => shape.resourceTemplate(template),
};

/** Checks a definition. Throws a TypeError for a mistake. */
function makeResource(definition: ResourceDefinition, read: ResourceReader): { key: string; entry: ResourceEntry } {
  checkShape('resource', definition, read, "server.resource({ uri: 'file:///a.txt', name: 'a' }, (uri) => …)");
  const { visible: _local, ...resource } = definition;
  checkName('Resource', resource.name);
  checkUri(resource.name, resource.uri);
  return { key: resource.uri, entry: { resource, read } };
}

function makeTemplate(definition: TemplateDefinition, read: TemplateReader<never>) {
  const example = "server.resourceTemplate({ uriTemplate: 'file:///{name}', name: 'file' }, ({ name }) => …)";
  checkShape('resourceTemplate', definition, read, example);
  const { complete = {}, visible: _local, ...template } = definition;
  const { uriTemplate, name } = template;
  checkName('Resource template', name);
  if (typeof uriTemplate !== 'string') {
    throw new TypeError(`Resource template ${name}: uriTemplate must be a string, got ${describeKind(uriTemplate)}`);
  }
  const pattern = compileUriTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((variable) => !pattern.variables.includes(variable));
  if (unknown !== undefined) {
    throw new TypeError(
      `Resource template ${name}: complete has ${unknown}, which is not a variable of ${uriTemplate}`,
    );
  }
  const completers = new Map(Object.entries(complete as { [variable: string]: Completer }));
  // The variables come from the template that their type was taken from.
  const entry: TemplateEntry = { template, pattern, complete: completers, read: read as TemplateReader };
  return { key: uriTemplate as string, entry };
}

function run(
  read: () => ReturnType<ResourceReader>,
  uri: string,
  described: { readonly name: string; readonly mimeType?: string },
  context: RequestContext,
): unknown {
  const failed = (thrown: unknown): never => {
    context.reportFailure(thrown, `resource ${described.name}`);
    throw thrown;
  };
  const finish = (outcome: unknown) => {
    if (outcome === undefined) throw notFound(uri, context.revision);
    const problem = problemOfOutcome(outcome);
    if (problem !== undefined) throw new TypeError(`Resource ${described.name} ${problem}`);
    return asResult(outcome as ResourceOutcome, uri, described.mimeType, context);
  };
  return finished(read, finish, failed);
}

function notFound(uri: string, { resourceNotFoundCode }: Revision): RpcError {
  return new RpcError(resourceNotFoundCode, `Resource not found: ${quoted(uri)}`, { uri });
}

function problemOfOutcome(outcome: unknown): string | undefined {
  if (typeof outcome === 'string') return undefined;
  const advice = 'return a string, { text }, { blob } or an array of those with uri';
  if (typeof outcome !== 'object' || outcome === null) return `returned ${describeKind(outcome)}; ${advice}`;
  const { contents = outcome } = outcome as { readonly contents?: unknown };
  if (!Array.isArray(contents)) {
    const problem =
      contents === outcome ? problemOfContents(outcome) : `has contents that are ${describeKind(contents)}`;
    return problem && `returned an object that ${problem}; ${advice}`;
  }
  const problems = contents.map(problemOfContents);
  const index = problems.findIndex((problem) => problem !== undefined);
  return index < 0 ? undefined : `returned contents whose item ${index} ${problems[index]}; ${advice}`;
}

function asResult(
  outcome: ResourceOutcome,
  uri: string,
  mimeType: string | undefined,
  { revision }: RequestContext,
): object {
  const contents = listOf(outcome).map((one) => {
    const whole: ResourceContents = { uri, ...one };
    if (mimeType !== undefined && whole.mimeType === undefined) whole.mimeType = mimeType;
    return revision.shape.resourceContents(whole);
  });
  return { contents };
}

function listOf(outcome: ResourceOutcome): readonly Partial<ResourceContents>[] {
  if (typeof outcome === 'string') return [{ text: outcome }];
  if ('contents' in outcome) return outcome.contents;
  return Array.isArray(outcome) ? outcome : [outcome as Partial<ResourceContents>];
}
