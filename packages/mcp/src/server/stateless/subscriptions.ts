import { isObject } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { MetaKey, type SubscriptionFilter, TASKS_EXTENSION } from '../../protocol/stateless.ts';
import type { ServerCapabilities } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import type { ListName } from '../event-bus.ts';
import type { Resources } from '../features/resources.ts';
import { invalidParams } from '../invalid-params.ts';
import type { ServerSession } from '../session.ts';
import type { Subscribers } from '../subscribers.ts';
import type { TaskDetails } from '../tasks/task-store.ts';
import { knowsTasks, type Tasks } from '../tasks/tasks.ts';
import { capabilityMissing } from './rounds.ts';

/** Only the first ids of a longer list are accepted; the acknowledgement says which. */
export const LISTEN_LIMITS = { maxTasks: 1000 } as const;

interface Subscription {
  /** Empty until the store has said which tasks the client may see. */
  filter: SubscriptionFilter;
  readonly context: RequestContext;
  end(): void;
}

/** `subscriptions/listen`: a request that stays open and gets the notifications it asked for. */
export class Subscriptions {
  readonly #active = new Set<Subscription>();
  readonly #capabilities: () => ServerCapabilities;
  readonly #tasks: Tasks;
  readonly #resources: Resources;
  readonly #subscribers: Subscribers;

  constructor(capabilities: () => ServerCapabilities, tasks: Tasks, resources: Resources, subscribers: Subscribers) {
    this.#capabilities = capabilities;
    this.#tasks = tasks;
    this.#resources = resources;
    this.#subscribers = subscribers;
  }

  get size(): number {
    return this.#active.size;
  }

  methods(): [string, RequestHandler][] {
    return [['subscriptions/listen', (params, context) => this.#listen(params, context)]];
  }

  listChanged(list: ListName): void {
    for (const { filter, context } of this.#active) {
      if (filter[`${list}ListChanged`]) send(context, `notifications/${list}/list_changed`, {});
    }
  }

  resourceUpdated(uri: string): void {
    for (const { filter, context } of this.#active) {
      if (filter.resourceSubscriptions?.includes(uri)) send(context, 'notifications/resources/updated', { uri });
    }
  }

  /** Any resource may have changed. */
  resourcesUpdated(): void {
    for (const { filter, context } of this.#active) {
      for (const uri of filter.resourceSubscriptions ?? []) send(context, 'notifications/resources/updated', { uri });
    }
  }

  /** Ends the subscriptions of a session, or all of them, each with its result. */
  close(session?: ServerSession): void {
    for (const { context, end } of this.#active) if (session === undefined || context.isOf(session)) end();
  }

  /** Settles when the subscription ends. Without tasks it is acknowledged at once. */
  async #listen(params: Params | undefined, context: RequestContext): Promise<object> {
    const filter = this.#supported(params, context);
    let end = () => {};
    let fail = (_reason: Error) => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    ended.catch(() => {}); // it may be rejected before it is awaited
    const changes = new TaskChanges(this.#tasks, context, (reason) => fail(reason));
    const subscription: Subscription = { filter: {}, context, end };
    this.#active.add(subscription);
    context.signal.addEventListener('abort', end, { once: true });
    let isCounted = false;
    try {
      const { taskIds } = filter;
      if (taskIds !== undefined) await changes.watch(taskIds);
      const known = taskIds && { ...filter, taskIds: await this.#tasks.visible(taskIds, context) };
      subscription.filter = known ?? filter;
      this.#subscribers.add(filter.resourceSubscriptions);
      isCounted = true;
      send(context, 'notifications/subscriptions/acknowledged', { notifications: subscription.filter });
      changes.start(subscription.filter.taskIds ?? []);
      await ended;
    } finally {
      this.#active.delete(subscription);
      if (isCounted) this.#subscribers.remove(filter.resourceSubscriptions);
      changes.stop();
    }
    return { _meta: { [MetaKey.subscriptionId]: context.requestId } };
  }

  /** The part of the filter that this server supports. */
  #supported(params: Params | undefined, context: RequestContext): SubscriptionFilter {
    const { notifications: wanted } = (params ?? {}) as { notifications?: unknown };
    if (!isObject(wanted)) {
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
      ...(resources?.subscribe &&
        isTexts(resourceSubscriptions) && {
          resourceSubscriptions: this.#resources.subscribable(resourceSubscriptions, context.principal),
        }),
      ...(extensions?.[TASKS_EXTENSION] !== undefined &&
        isTexts(taskIds) && { taskIds: taskIds.slice(0, LISTEN_LIMITS.maxTasks) }),
    };
  }
}

/** Sends the changes of tasks that a subscription asked for. */
class TaskChanges {
  readonly #tasks: Tasks;
  readonly #context: RequestContext;
  readonly #lost: (reason: Error) => void;
  readonly #stops: (() => void)[] = [];
  #isStopped = false;
  /** The last change of each task, until the store has said which tasks the client may see. */
  readonly #buffered = new Map<string, TaskDetails>();
  #visible: readonly string[] | undefined;

  constructor(tasks: Tasks, context: RequestContext, lost: (reason: Error) => void) {
    this.#tasks = tasks;
    this.#context = context;
    this.#lost = lost;
  }

  /** Settles when no further change is missed. */
  async watch(ids: readonly string[]): Promise<void> {
    const lost = (reason: Error) =>
      this.#lost(
        new RpcError(ErrorCode.InternalError, `The changes of a task can no longer be sent: ${reason.message}`),
      );
    const changed = (task: TaskDetails) => this.#changed(task);
    const watching = ids.map(async (id) => {
      const stop = await this.#tasks.watch(id, changed, lost);
      if (this.#isStopped) stop();
      else this.#stops.push(stop);
    });
    await Promise.all(watching);
  }

  start(ids: readonly string[]): void {
    this.#visible = ids;
    for (const task of this.#buffered.values()) this.#changed(task);
    this.#buffered.clear();
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
  }

  #changed(task: TaskDetails): void {
    if (this.#visible === undefined) this.#buffered.set(task.taskId, task);
    else if (this.#visible.includes(task.taskId)) send(this.#context, 'notifications/tasks', task);
  }
}

function send(context: RequestContext, method: string, params: object): void {
  context.notify(method, { ...params, _meta: { [MetaKey.subscriptionId]: context.requestId } });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
