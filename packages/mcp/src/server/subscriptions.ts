import type { Params } from '../jsonrpc/message.ts';
import { MetaKey, type SubscriptionFilter, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import type { RequestContext, RequestHandler } from './context.ts';
import { invalidParams } from './invalid-params.ts';
import { capabilityMissing } from './rounds.ts';
import type { ServerSession } from './session.ts';
import type { Task } from './task.ts';
import { knowsTasks } from './tasks.ts';

export type ListName = 'tools' | 'prompts' | 'resources';

interface Subscription {
  readonly filter: SubscriptionFilter;
  readonly context: RequestContext;
  end(): void;
}

/** `subscriptions/listen`: a request that stays open and hears of what it asked for. */
export class Subscriptions {
  readonly #active = new Set<Subscription>();
  readonly #capabilities: () => ServerCapabilities;
  readonly #isTask: (id: string, context: RequestContext) => boolean;

  constructor(capabilities: () => ServerCapabilities, isTask: (id: string, context: RequestContext) => boolean) {
    this.#capabilities = capabilities;
    this.#isTask = isTask;
  }

  methods(): [string, RequestHandler][] {
    return [['subscriptions/listen', (params, context) => this.#listen(params, context)]];
  }

  listChanged(list: ListName): void {
    for (const { filter, context } of this.#active) {
      if (filter[`${list}ListChanged`]) tell(context, `notifications/${list}/list_changed`, {});
    }
  }

  resourceUpdated(uri: string): void {
    for (const { filter, context } of this.#active) {
      if (filter.resourceSubscriptions?.includes(uri)) tell(context, 'notifications/resources/updated', { uri });
    }
  }

  taskChanged(task: Task): void {
    for (const { filter, context } of this.#active) {
      if (filter.taskIds?.includes(task.id) && task.isOf(context)) tell(context, 'notifications/tasks', task.details());
    }
  }

  /** Ends those of a session, or all, each with its result. */
  close(session?: ServerSession): void {
    for (const { context, end } of this.#active) if (session === undefined || context.session === session) end();
  }

  #listen(params: Params | undefined, context: RequestContext): Promise<object> {
    const filter = this.#honoured(params, context);
    tell(context, 'notifications/subscriptions/acknowledged', { notifications: filter });
    return new Promise((resolve) => {
      const subscription: Subscription = {
        filter,
        context,
        end: () => {
          this.#active.delete(subscription);
          resolve({ _meta: { [MetaKey.subscriptionId]: context.requestId } });
        },
      };
      this.#active.add(subscription);
      context.signal.addEventListener('abort', () => this.#active.delete(subscription), { once: true });
    });
  }

  /** What of the wishes this server can fulfil. */
  #honoured(params: Params | undefined, context: RequestContext): SubscriptionFilter {
    const { notifications: wanted } = (params ?? {}) as { notifications?: unknown };
    if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
      throw invalidParams('subscriptions/listen', 'notifications must be an object');
    }
    const { taskIds, resourceSubscriptions, ...lists } = wanted as SubscriptionFilter;
    const { tools, prompts, resources, extensions } = this.#capabilities();
    if (taskIds !== undefined && !knowsTasks(context)) {
      throw capabilityMissing({ extensions: { [TASKS_EXTENSION]: {} } });
    }
    return {
      ...(lists.toolsListChanged && tools?.listChanged && { toolsListChanged: true }),
      ...(lists.promptsListChanged && prompts?.listChanged && { promptsListChanged: true }),
      ...(lists.resourcesListChanged && resources?.listChanged && { resourcesListChanged: true }),
      ...(resources?.subscribe && isTexts(resourceSubscriptions) && { resourceSubscriptions }),
      ...(extensions?.[TASKS_EXTENSION] !== undefined &&
        isTexts(taskIds) && { taskIds: taskIds.filter((id) => this.#isTask(id, context)) }),
    };
  }
}

function tell(context: RequestContext, method: string, params: object): void {
  context.notify(method, { ...params, _meta: { [MetaKey.subscriptionId]: context.requestId } });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
