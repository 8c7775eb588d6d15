import { rejecting, rejectingStop } from '../../jsonrpc/rejecting.ts';
import type { Report } from '../error-report.ts';
import type { TaskStore } from './task-store.ts';

/** The store, with methods that reject where the user's throw. */
export function guardedTaskStore(store: TaskStore, report: Report): TaskStore {
  const failed = (thrown: unknown) => report(thrown, 'the task store');
  return {
    create: (...args) => rejecting(() => store.create(...args)),
    save: (...args) => rejecting(() => store.save(...args)),
    find: (...args) => rejecting(() => store.find(...args)),
    watch: (...args) => rejectingStop(() => store.watch(...args), failed),
    send: (...args) => rejecting(() => store.send(...args)),
    receive: (...args) => rejectingStop(() => store.receive(...args), failed),
    renew: (...args) => rejecting(() => store.renew(...args)),
    abandoned: () => rejecting(() => store.abandoned()),
  };
}
