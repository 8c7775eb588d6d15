import { useEffect, useState } from 'preact/hooks';

/** A value that views show. Listeners are called after each change. */
export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  update(change: (value: Value) => Value): void {
    this.set(change(this.#value));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value of a store. The view is drawn again when it changes; while `isActive` is false it is not. */
export function useStore<Value>(store: Store<Value>, isActive = true): Value {
  const [, draw] = useState({});
  useEffect(() => {
    if (!isActive) return undefined;
    const listener = () => draw({});
    // It may have changed between drawing and this call.
    listener();
    return store.subscribe(listener);
  }, [store, isActive]);
  return store.value;
}
