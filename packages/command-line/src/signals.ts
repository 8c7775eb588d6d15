import { constants } from 'node:os';
import type { SignalListener } from './environment.ts';
import { exitNow } from './process-end.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PATIENCE_MS = 1000;

/** Calls the listener until it heeds a signal that asks this process to end. A later signal ends it at once. */
export function onSignal(listener: SignalListener): void {
  let heededAt: number | undefined;
  const heed = (signal: (typeof SIGNALS)[number]) => {
    const code = 128 + constants.signals[signal];
    // Terminals and programs that pass signals on send the same signal twice at once. A later one means impatience.
    if (heededAt === undefined) heededAt = listener(signal, code) === 'exiting' ? Date.now() : undefined;
    else if (Date.now() - heededAt > PATIENCE_MS) exitNow(code);
  };
  for (const signal of SIGNALS) process.on(signal, heed);
}
