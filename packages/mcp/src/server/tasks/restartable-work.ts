import type { ToolOutcome } from '../features/tools.ts';
import type { TaskContext, TaskWork } from './task.ts';

/** Work that any process can begin: it depends on its input alone, which is plain JSON, and may be done more than once. */
export type RestartableWork<Input, Outcome extends ToolOutcome = ToolOutcome> = (
  input: Input,
  context: TaskContext,
) => Outcome | Promise<Outcome>;

export interface NamedWork {
  readonly name: string;
  readonly input: unknown;
}

/** The restartable work of a server, by name. */
export class RestartableWorks {
  readonly #byName = new Map<string, RestartableWork<unknown>>();
  readonly #named = new WeakMap<TaskWork, NamedWork>();

  add<Input, Outcome extends ToolOutcome>(
    name: string,
    work: RestartableWork<Input, Outcome>,
  ): (input: Input) => TaskWork<Outcome> {
    if (this.#byName.has(name)) throw new Error(`There is already restartable work called ${name}`);
    // The input of a task that is restarted is what it was started with.
    this.#byName.set(name, work as RestartableWork<unknown>);
    return (input) => {
      const bound: TaskWork<Outcome> = (context) => work(input, context);
      this.#named.set(bound, { name, input });
      return bound;
    };
  }

  /** Undefined for work that cannot be restarted. */
  nameOf(work: TaskWork): NamedWork | undefined {
    return this.#named.get(work);
  }

  /** Undefined when this process does not have it. */
  find(name: string, input: unknown): TaskWork | undefined {
    const work = this.#byName.get(name);
    return work && ((context) => work(input, context));
  }
}
