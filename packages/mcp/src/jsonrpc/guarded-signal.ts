import { guard as guardCallback } from './report-error.ts';

type EventListener = (event: Event) => unknown;
type Listener = EventListener | { handleEvent: EventListener } | null;
type Options = boolean | object | undefined;

/**
 * Catches what listeners of the signal throw. The platform would make it an uncaught exception of the process.
 * Changes the signal itself and returns it.
 */
export function guardListeners(signal: AbortSignal, report: (thrown: unknown) => void): AbortSignal {
  if (Object.hasOwn(signal, 'addEventListener')) return signal; // it is guarded
  const guarded = new WeakMap<object, EventListener>();
  const guard = (listener: Listener): EventListener | null => {
    if (listener === null) return null;
    const known = guarded.get(listener);
    if (known !== undefined) return known;
    const wrapper = (event: Event) => {
      const call = () => (typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event));
      guardCallback(call, report);
    };
    guarded.set(listener, wrapper);
    return wrapper;
  };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  let onabort: EventListener | null = null;
  return Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener, options?: Options) => add(type, guard(listener) as never, options),
    },
    removeEventListener: {
      value: (type: string, listener: Listener, options?: Options) => remove(type, guard(listener) as never, options),
    },
    onabort: {
      get: () => onabort,
      set: (listener: EventListener | null) => {
        if (onabort !== null) remove('abort', guard(onabort) as never);
        onabort = typeof listener === 'function' ? listener : null;
        if (onabort !== null) add('abort', guard(onabort) as never);
      },
    },
  });
}
