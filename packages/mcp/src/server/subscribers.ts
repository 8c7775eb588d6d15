import { guard } from '../jsonrpc/report-error.ts';
import type { Report } from './error-report.ts';

/** Called when the number of clients of this process that are subscribed to a resource has changed. */
export type OnSubscribers = (uri: string, subscribers: number) => unknown;

/** Counts the clients that are subscribed to each resource, in sessions and with `subscriptions/listen`. */
export class Subscribers {
  readonly #counts = new Map<string, number>();
  readonly #onSubscribers: OnSubscribers | undefined;
  readonly #report: Report;

  constructor(onSubscribers: OnSubscribers | undefined, report: Report) {
    this.#onSubscribers = onSubscribers;
    this.#report = report;
  }

  add(uris: Iterable<string> = []): void {
    for (const uri of new Set(uris)) this.#set(uri, (this.#counts.get(uri) ?? 0) + 1);
  }

  remove(uris: Iterable<string> = []): void {
    for (const uri of new Set(uris)) this.#set(uri, (this.#counts.get(uri) ?? 0) - 1);
  }

  #set(uri: string, count: number): void {
    if (this.#onSubscribers === undefined) return;
    if (count > 0) this.#counts.set(uri, count);
    else this.#counts.delete(uri);
    guard(
      () => this.#onSubscribers?.(uri, count),
      (thrown) => this.#report(thrown, 'onSubscribers'),
    );
  }
}
