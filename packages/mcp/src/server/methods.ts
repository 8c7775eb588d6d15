import { finished } from '../jsonrpc/thenable.ts';
import type { Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { ALL_VERSIONS, NEWEST_STATELESS } from '../protocol/revisions/all.ts';
import { type DiscoverResult, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import type { RequestHandler } from './context.ts';
import { completionMethods } from './features/completion.ts';
import { loggingMethods } from './features/logging.ts';
import type { Prompts } from './features/prompts.ts';
import type { Resources } from './features/resources.ts';
import type { Tools } from './features/tools.ts';
import type { ServerOptions } from './server-options.ts';
import type { Subscriptions } from './stateless/subscriptions.ts';
import type { Tasks } from './tasks/tasks.ts';

/** What offers methods. */
export interface Features {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly tasks: Tasks;
  readonly subscriptions: Subscriptions;
}

/** The methods of a server, and the capabilities that follow from what is registered. */
export class Methods {
  readonly #options: ServerOptions;
  readonly #features: Features;
  readonly #custom = new Map<string, RequestHandler>();
  /** By revision; made when first needed and dropped when something is registered. */
  readonly #tables = new Map<Revision, ReadonlyMap<string, RequestHandler>>();

  constructor(options: ServerOptions, features: Features) {
    this.#options = options;
    this.#features = features;
  }

  /** Undefined for a method that does not exist in the revision. */
  handler(method: string, revision: Revision): RequestHandler | undefined {
    let table = this.#tables.get(revision);
    if (table === undefined) {
      table = this.#makeTable(revision);
      this.#tables.set(revision, table);
    }
    return table.get(method);
  }

  /** Adds a custom request. Throws when the method has a handler. */
  add(method: string, handler: RequestHandler): Registration {
    if (this.#custom.has(method)) throw new Error(`There is already a handler for ${method}`);
    this.#custom.set(method, reporting(method, handler));
    this.changed();
    return {
      remove: () => {
        this.#custom.delete(method);
        this.changed();
      },
    };
  }

  /** Something was registered or removed. */
  changed(): void {
    this.#tables.clear();
  }

  capabilities(revision: Revision = NEWEST_STATELESS): ServerCapabilities {
    const { tools, resources, prompts } = this.#features;
    const derived: ServerCapabilities = {};
    if (tools.list.used) derived.tools = { listChanged: true };
    if (resources.used) derived.resources = { subscribe: true, listChanged: true };
    if (prompts.list.used) derived.prompts = { listChanged: true };
    if (prompts.completes || resources.completes) derived.completions = {};
    if (this.#options.tasks !== undefined && revision.stateless) derived.extensions = { [TASKS_EXTENSION]: {} };
    return { ...derived, ...this.#options.capabilities };
  }

  #makeTable(revision: Revision): ReadonlyMap<string, RequestHandler> {
    const features = this.#features;
    const { tools, resources, prompts, completions, logging } = this.capabilities();
    const standard: [string, RequestHandler][] = [['ping', () => ({})]];
    if (tools) standard.push(...features.tools.methods());
    if (resources) standard.push(...features.resources.methods());
    if (prompts) standard.push(...features.prompts.methods());
    if (completions) standard.push(...completionMethods(features.prompts, features.resources));
    if (logging) standard.push(...loggingMethods);
    if (this.#options.tasks !== undefined) standard.push(...features.tasks.methods());
    standard.push(...features.subscriptions.methods(), ['server/discover', () => this.#discover()]);
    const known = standard.filter(([method]) => revision.requests.has(method));
    return new Map([...known, ...this.#custom]);
  }

  #discover(): DiscoverResult {
    const { instructions } = this.#options;
    const found = { supportedVersions: ALL_VERSIONS, capabilities: this.capabilities() };
    return instructions === undefined ? found : { ...found, instructions };
  }
}

/** Reports what the handler of a custom request throws. */
function reporting(method: string, handler: RequestHandler): RequestHandler {
  return (params, context) =>
    finished(
      () => handler(params, context),
      (result) => result,
      (thrown) => {
        context.reportFailure(thrown, `request ${method}`);
        throw thrown;
      },
    );
}
