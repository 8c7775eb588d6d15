/** A duration in milliseconds. 0 means no limit, so a short one is at least 1. */
export function inMilliseconds(amount: number, unit: 'seconds' | 'minutes'): number {
  return amount === 0 ? 0 : Math.max(1, Math.round(amount * (unit === 'seconds' ? 1000 : 60_000)));
}
