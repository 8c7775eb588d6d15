/** What happens in a bridge, for its log. */
export interface Log {
  info(event: string, details?: LogDetails): void;
  error(event: string, details?: LogDetails): void;
}

export interface LogDetails {
  readonly [name: string]: unknown;
}

export const SILENT: Log = { info: () => {}, error: () => {} };
