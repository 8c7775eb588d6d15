import { guardedCalls } from '../../jsonrpc/guarded-calls.ts';
import { StoreUnavailable } from '../../protocol/store-unavailable.ts';
import type { Report } from '../error-report.ts';
import type { TaskStore } from './task-store.ts';

/** Milliseconds for the task store to settle a call. */
const TIMEOUT_MS = 30_000;

/** The store, with methods that reject where the user's throw or never settle. */
export function guardedTaskStore(store: TaskStore, report: Report): TaskStore {
  const failed = (thrown: unknown) => report(thrown, 'the task store');
  const late = () => new StoreUnavailable(`The task store did not settle within ${TIMEOUT_MS} ms`);
  const { call, begin } = guardedCalls(TIMEOUT_MS, late, failed);
  return {
    ...(store.stateSecret !== undefined && { stateSecret: store.stateSecret }),
    create: (...args) => call(() => store.create(...args)),
    save: (...args) => call(() => store.save(...args)),
    find: (...args) => call(() => store.find(...args)),
    watch: (...args) => begin(() => store.watch(...args)),
    send: (...args) => call(() => store.send(...args)),
    receive: (...args) => begin(() => store.receive(...args)),
    renew: (...args) => call(() => store.renew(...args)),
    abandoned: () => call(() => store.abandoned()),
  };
}
