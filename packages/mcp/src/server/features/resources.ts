import { RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Registration } from '../../protocol/handlers.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../../protocol/types.ts';
import { compileUriTemplate, type UriTemplate } from '../../protocol/uri-template.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Completer } from './completion.ts';
import { Listing, type Paging } from './listing.ts';

/** A text, or contents with their own type; several when one URI stands for several things. */
export type ResourceOutcome = string | Partial<ResourceContents> | readonly ResourceContents[];
export type ResourceReader = (
  uri: string,
  context: RequestContext,
) => ResourceOutcome | undefined | Promise<ResourceOutcome | undefined>;
/** Gets what the template's variables stand for; answers undefined when there is nothing there. */
export type TemplateReader = (
  variables: { readonly [name: string]: string },
  uri: string,
  context: RequestContext,
) => ResourceOutcome | undefined | Promise<ResourceOutcome | undefined>;

export interface TemplateDefinition extends ResourceTemplate {
  /** Suggestions for the variables, by name. */
  readonly complete?: { readonly [variable: string]: Completer };
}

export interface TemplateEntry {
  readonly template: ResourceTemplate;
  readonly pattern: UriTemplate;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly read: TemplateReader;
}

interface ResourceEntry {
  readonly resource: Resource;
  readonly read: ResourceReader;
}

/** The resources of a server, fixed ones and templates. */
export class Resources {
  readonly #fixed: Listing<ResourceEntry, Resource>;
  readonly #templates: Listing<TemplateEntry, ResourceTemplate>;

  constructor(paging: Paging, changed: () => void) {
    this.#fixed = new Listing({
      noun: 'resource',
      member: 'resources',
      paging,
      wire: ({ resource }, revision) => revision.shape.resource(resource),
      changed,
    });
    this.#templates = new Listing({
      noun: 'resource template',
      member: 'resourceTemplates',
      paging,
      wire: ({ template }, revision) => revision.shape.resourceTemplate(template),
      changed,
    });
  }

  get used(): boolean {
    return this.#fixed.used || this.#templates.used;
  }

  add(resource: Resource, read: ResourceReader): Registration {
    return this.#fixed.add(resource.uri, { resource, read });
  }

  addTemplate({ complete = {}, ...template }: TemplateDefinition, read: TemplateReader): Registration {
    const { uriTemplate } = template;
    const pattern = compileUriTemplate(uriTemplate);
    return this.#templates.add(uriTemplate, { template, pattern, complete: new Map(Object.entries(complete)), read });
  }

  template(uriTemplate: string): TemplateEntry | undefined {
    return this.#templates.get(uriTemplate);
  }

  get completes(): boolean {
    return [...this.#templates.values()].some(({ complete }) => complete.size > 0);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['resources/list', (params, { revision }) => this.#fixed.page(params, revision)],
      ['resources/templates/list', (params, { revision }) => this.#templates.page(params, revision)],
      ['resources/read', (params, context) => this.#read(uriOf(params, 'resources/read'), context)],
      ['resources/subscribe', (params, { session }) => session.subscribe(uriOf(params, 'resources/subscribe'))],
      ['resources/unsubscribe', (params, { session }) => session.unsubscribe(uriOf(params, 'resources/unsubscribe'))],
    ];
  }

  #read(uri: string, context: RequestContext): unknown {
    const outcome = this.#find(uri, context);
    return isThenable(outcome)
      ? outcome.then((found) => asResult(found as ResourceOutcome | undefined, uri, context))
      : asResult(outcome, uri, context);
  }

  #find(uri: string, context: RequestContext): ReturnType<ResourceReader> {
    const entry = this.#fixed.get(uri);
    if (entry !== undefined) return entry.read(uri, context);
    for (const { pattern, read } of this.#templates.values()) {
      const variables = pattern.match(uri);
      if (variables !== undefined) return read(variables, uri, context);
    }
    return undefined;
  }
}

function asResult(outcome: ResourceOutcome | undefined, uri: string, { revision }: RequestContext): object {
  if (outcome === undefined) {
    throw new RpcError(revision.resourceNotFoundCode, `Resource not found: ${uri}`, { uri });
  }
  if (typeof outcome === 'string') return { contents: [{ uri, text: outcome }] };
  const contents: readonly ResourceContents[] = Array.isArray(outcome) ? outcome : [{ uri, ...outcome }];
  return { contents: contents.map((one) => revision.shape.resourceContents(one)) };
}

function uriOf(params: Params | undefined, method: string): string {
  const { uri } = (params ?? {}) as { uri?: unknown };
  if (typeof uri === 'string') return uri;
  throw invalidParams(method, 'uri must be a string');
}
