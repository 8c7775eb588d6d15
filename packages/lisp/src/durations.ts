/** A duration in milliseconds, where 0 means for ever: what is merely short never becomes that. */
export function inMilliseconds(amount: number, unit: 'seconds' | 'minutes'): number {
  return amount === 0 ? 0 : Math.max(1, Math.round(amount * (unit === 'seconds' ? 1000 : 60_000)));
}
