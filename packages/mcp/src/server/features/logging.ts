import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../protocol/types.ts';
import type { RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';

/** `logging/setLevel`: how severe a message must be to reach a session's client. */
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

export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
