import { rejecting, rejectingStop } from '../../jsonrpc/rejecting.ts';
import { inTime } from '../../jsonrpc/waiting.ts';
import { StoreUnavailable } from '../../protocol/store-unavailable.ts';
import type { Report } from '../error-report.ts';
import type { Stop, TaskStore } from './task-store.ts';

/** Milliseconds for the task store to settle a call. */
const TIMEOUT_MS = 30_000;

/** The store, with methods that reject where the user's throw or never settle. */
export function guardedTaskStore(store: TaskStore, report: Report): TaskStore {
  const failed = (thrown: unknown) => report(thrown, 'the task store');
  const late = () => new StoreUnavailable(`The task store did not settle within ${TIMEOUT_MS} ms`);
  const guarded = <T>(call: () => T | Promise<T>) => inTime(rejecting(call), TIMEOUT_MS, late);
  const stopping = (call: () => Stop): Stop => inTime(rejectingStop(call, failed), TIMEOUT_MS, late);
  return {
    ...(store.stateSecret !== undefined && { stateSecret: store.stateSecret }),
    create: (...args) => guarded(() => store.create(...args)),
    save: (...args) => guarded(() => store.save(...args)),
    find: (...args) => guarded(() => store.find(...args)),
    watch: (...args) => stopping(() => store.watch(...args)),
    send: (...args) => guarded(() => store.send(...args)),
    receive: (...args) => stopping(() => store.receive(...args)),
    renew: (...args) => guarded(() => store.renew(...args)),
    abandoned: () => guarded(() => store.abandoned()),
  };
}
