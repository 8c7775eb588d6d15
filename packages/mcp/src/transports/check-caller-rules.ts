import { describeValue } from '../jsonrpc/argument-checks.ts';
import type { CallerRules } from './loopback.ts';

/** Throws a TypeError for hosts and origins that no request could have. */
export function checkCallerRules(callee: string, { allowedHosts = [], allowedOrigins = [] }: CallerRules): void {
  checkList(callee, 'allowedHosts', allowedHosts, isHostName, 'a host name without a port, like example.com');
  checkList(callee, 'allowedOrigins', allowedOrigins, isOrigin, ORIGIN_RULE);
}

export const ORIGIN_RULE = 'an origin, which is a scheme, a host and a port, like https://example.com:8080';

function checkList(
  callee: string,
  name: string,
  list: unknown,
  isItem: (item: unknown) => boolean,
  rule: string,
): void {
  if (list === 'any') return;
  if (!Array.isArray(list))
    throw new TypeError(`${callee}: ${name} takes an array or 'any', got ${describeValue(list)}`);
  const wrong = list.findIndex((item) => !isItem(item));
  if (wrong < 0) return;
  const advice = list[wrong] === '*' ? `. To accept all, write ${name}: 'any'` : '';
  throw new TypeError(`${callee}: ${name}: ${describeValue(list[wrong])} is not ${rule}${advice}`);
}

/** As URLs have it: lower case, and IPv6 addresses in brackets. */
function isHostName(name: unknown): boolean {
  return (
    typeof name === 'string' &&
    name !== '*' &&
    URL.canParse(`http://${name}`) &&
    new URL(`http://${name}`).hostname === name
  );
}

/** Browsers send origins without a path; those of files and sandboxed pages are `null`. */
export function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string') return false;
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/.test(origin);
}
