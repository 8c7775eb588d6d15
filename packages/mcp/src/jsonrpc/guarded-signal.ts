import { guard as guardCallback } from './report-error.ts';

type EventListener = (event: Event) => unknown;
type Listener = EventListener | { handleEvent: EventListener } | null | undefined;
type Options = boolean | object | undefined;

/**
 * Catches what listeners of the signal throw. The platform would make it an uncaught exception of the process.
 * Changes the signal itself and returns it.
 */
export function guardListeners(signal: AbortSignal, report: (thrown: unknown) => void): AbortSignal {
  if (GUARD in signal) return signal;
  // Faster than properties of its own: handlers of many requests ask for a signal.
  Object.setPrototypeOf(signal, guardedSignal);
  (signal as GuardedSignal)[GUARD] = new Guard(signal, report);
  return signal;
}

const GUARD = Symbol('guard');

interface GuardedSignal extends AbortSignal {
  [GUARD]: Guard;
}

class Guard {
  readonly #signal: AbortSignal;
  readonly #report: (thrown: unknown) => void;
  #wrappers: WeakMap<object, EventListener> | undefined;

  constructor(signal: AbortSignal, report: (thrown: unknown) => void) {
    this.#signal = signal;
    this.#report = report;
  }

  /** A listener that does the same and never throws; always the same one, so that it can be removed. */
  wrap(listener: Listener): EventListener | null {
    if (listener === null || listener === undefined) return null;
    this.#wrappers ??= new WeakMap();
    const known = this.#wrappers.get(listener);
    if (known !== undefined) return known;
    const wrapper = (event: Event) => {
      const signal = this.#signal;
      const call = () => (typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event));
      guardCallback(call, this.#report);
    };
    this.#wrappers.set(listener, wrapper);
    return wrapper;
  }
}

const { addEventListener, removeEventListener } = AbortSignal.prototype;
const onabort = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'onabort');

const guardedSignal: object = Object.create(AbortSignal.prototype, {
  addEventListener: {
    value(this: GuardedSignal, type: string, listener: Listener, options?: Options) {
      addEventListener.call(this, type, this[GUARD].wrap(listener) as never, options);
    },
  },
  removeEventListener: {
    value(this: GuardedSignal, type: string, listener: Listener, options?: Options) {
      removeEventListener.call(this, type, this[GUARD].wrap(listener) as never, options);
    },
  },
  onabort: {
    // workerd calls what it gets here.
    get(this: GuardedSignal) {
      return onabort?.get?.call(this);
    },
    set(this: GuardedSignal, listener: unknown) {
      onabort?.set?.call(this, typeof listener === 'function' ? this[GUARD].wrap(listener as EventListener) : null);
    },
  },
});
