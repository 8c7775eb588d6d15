import { LimitExceeded } from '../../jsonrpc/errors.ts';
import { timeLimit } from './time-limit.ts';

/** How long the check of one value against a schema of this program may take. */
const MAX_CHECK_MS = 1000;

/** Values, or 256 characters each, in a value that is not small. */
const SMALL = 1000;

/** Keywords whose time can grow faster than the value: the others take time in proportion to it. */
const SLOW_KEYWORDS = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;

/** Whether a value holds so little that everything in it can be looked at several times. */
export function isSmall(value: unknown): boolean {
  const waiting = [value];
  for (let size = 0; waiting.length > 0; size += 1) {
    if (size + waiting.length > SMALL) return false;
    const each = waiting.pop();
    if (typeof each === 'string') size += each.length >> 8;
    else if (Array.isArray(each)) {
      if (each.length > SMALL) return false;
      waiting.push(...each);
    } else if (typeof each === 'object' && each !== null) {
      const names = Object.keys(each);
      if (names.length > SMALL) return false;
      for (const name of names) waiting.push((each as { [name: string]: unknown })[name]);
    }
  }
  return true;
}

/** Whether a check against the schema can take longer than in proportion to the value. */
export function canBeSlow(schema: object): boolean {
  try {
    return SLOW_KEYWORDS.test(JSON.stringify(schema));
  } catch {
    return true; // a schema made by hand may be cyclic
  }
}

/** Runs a check for at most MAX_CHECK_MS, in runtimes that can interrupt code. `late` makes its result after that. */
export function bounded<T>(check: () => T, late: (problem: string) => T): T {
  const limit = timeLimit();
  if (limit === undefined) return check();
  try {
    return limit(check, MAX_CHECK_MS);
  } catch (error) {
    if (error instanceof LimitExceeded) return late(`checking it took more than ${MAX_CHECK_MS} ms`);
    throw error;
  }
}
