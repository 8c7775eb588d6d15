import { describeValue } from '../../jsonrpc/argument-checks.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../protocol/types.ts';
import type { RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import type { ServerOptions } from '../server-options.ts';

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

export type LogMessage = { readonly level: LogLevel; readonly data: unknown; readonly logger?: string };

/** Throws when the server does not declare logging, or for a level that MCP does not have, such as `warn`. */
export function logMessage(
  callee: string,
  { capabilities }: ServerOptions,
  level: LogLevel,
  data: unknown,
  logger: string | undefined,
): LogMessage {
  if (capabilities?.logging === undefined) {
    throw new Error('Cannot log to the client: declare it with new Server(info, { capabilities: { logging: {} } })');
  }
  if (!isLogLevel(level)) {
    throw new TypeError(`${callee}: level must be one of ${LOG_LEVELS.join(', ')}, got ${describeValue(level)}`);
  }
  return logger === undefined ? { level, data } : { level, logger, data };
}

export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
