import type { Params } from '../../jsonrpc/message.ts';
import { MetaKey, type SubscriptionFilter, TASKS_EXTENSION } from '../../protocol/stateless.ts';
import type { ServerCapabilities } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import type { ServerSession } from '../session.ts';
import type { TaskDetails } from '../tasks/task-store.ts';
import { knowsTasks, type Tasks } from '../tasks/tasks.ts';
import { capabilityMissing } from './rounds.ts';

/** A subscription to more tasks than these is one to the first of them; the client is told so. */
const MAX_TASKS = 1000;

export type ListName = 'tools' | 'prompts' | 'resources';

interface Subscription {
  /** Empty until it is known which tasks the client may look at. */
  filter: SubscriptionFilter;
  readonly context: RequestContext;
  end(): void;
}

/** `subscriptions/listen`: a request that stays open and hears of what it asked for. */
export class Subscriptions {
  readonly #active = new Set<Subscription>();
  readonly #capabilities: () => ServerCapabilities;
  readonly #tasks: Tasks;

  constructor(capabilities: () => ServerCapabilities, tasks: Tasks) {
    this.#capabilities = capabilities;
    this.#tasks = tasks;
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

  /** Ends those of a session, or all, each with its result. */
  close(session?: ServerSession): void {
    for (const { context, end } of this.#active) if (session === undefined || context.session === session) end();
  }

  /** Settles when it ends. Without tasks the client is told at once what it will hear of. */
  async #listen(params: Params | undefined, context: RequestContext): Promise<object> {
    const filter = this.#honoured(params, context);
    const changes = new TaskChanges(filter.taskIds ?? [], this.#tasks, context);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const subscription: Subscription = { filter: {}, context, end };
    this.#active.add(subscription);
    context.signal.addEventListener('abort', end, { once: true });
    try {
      const { taskIds } = filter;
      const known = taskIds && { ...filter, taskIds: await this.#tasks.visible(taskIds, context) };
      subscription.filter = known ?? filter;
      tell(context, 'notifications/subscriptions/acknowledged', { notifications: subscription.filter });
      changes.tellOf(subscription.filter.taskIds ?? []);
      await ended;
    } finally {
      this.#active.delete(subscription);
      changes.stop();
    }
    return { _meta: { [MetaKey.subscriptionId]: context.requestId } };
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
      ...(extensions?.[TASKS_EXTENSION] !== undefined && isTexts(taskIds) && { taskIds: taskIds.slice(0, MAX_TASKS) }),
    };
  }
}

/** What happens to tasks that a subscription asks about. */
class TaskChanges {
  readonly #context: RequestContext;
  readonly #stops: (() => void)[];
  /** The last change of each until it is known which of them the client may look at. */
  readonly #untold = new Map<string, TaskDetails>();
  #told: readonly string[] | undefined;

  constructor(ids: readonly string[], tasks: Tasks, context: RequestContext) {
    this.#context = context;
    this.#stops = ids.map((id) => tasks.watch(id, (task) => this.#changed(task)));
  }

  tellOf(ids: readonly string[]): void {
    this.#told = ids;
    for (const task of this.#untold.values()) this.#changed(task);
    this.#untold.clear();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #changed(task: TaskDetails): void {
    if (this.#told === undefined) this.#untold.set(task.taskId, task);
    else if (this.#told.includes(task.taskId)) tell(this.#context, 'notifications/tasks', task);
  }
}

function tell(context: RequestContext, method: string, params: object): void {
  context.notify(method, { ...params, _meta: { [MetaKey.subscriptionId]: context.requestId } });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
