import { describeValue } from '../../jsonrpc/argument-checks.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../protocol/types.ts';
import type { RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';

/** `logging/setLevel`: the least severe message that the session's client gets. */
export const loggingMethods: [string, RequestHandler][] = [
  [
    'logging/setLevel',
    (params, { session }) => {
      const { level } = (params ?? {}) as { level?: unknown };
      if (!isLogLevel(level)) throw invalidParams('logging/setLevel', `level must be one of ${LOG_LEVELS.join(', ')}`);
      session.logLevel = level;
    },
  ],
];

export const LOGGING_NOT_DECLARED =
  'Cannot log to the client: declare it with new Server(info, { capabilities: { logging: {} } })';

/** Throws a TypeError for a level that MCP does not have, such as `warn`. */
export function requireLevel(callee: string, level: LogLevel): void {
  if (isLogLevel(level)) return;
  throw new TypeError(`${callee}: level must be one of ${LOG_LEVELS.join(', ')}, got ${describeValue(level)}`);
}

export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
