import type { Ruled } from './audience.ts';

/** For example `docs/a.md, by claude-code: accepted by rule accept docs/**`. */
export function ruledInWords({ path, agent, decision, by }: Omit<Ruled, 'count'>): string {
  return `${path}, by ${agent}: ${decision} by ${by}`;
}
