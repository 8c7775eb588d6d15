import { appendFileSync } from 'node:fs';

export interface Log {
  info(event: string, details?: { readonly [name: string]: unknown }): void;
  error(event: string, details?: { readonly [name: string]: unknown }): void;
}

export interface LogOptions {
  /** Appended to; stderr without it. */
  readonly file: string | undefined;
  /** One JSON object a line instead of words. */
  readonly json: boolean;
  /** Default `all`. */
  readonly logs?: 'all' | 'errors' | undefined;
  readonly stderr: (line: string) => void;
}

/** What happens, a line each. */
export function openLog({ file, json, stderr, logs = 'all' }: LogOptions): Log {
  const write = file === undefined ? stderr : (line: string) => appendFileSync(file, `${line}\n`, { mode: 0o600 });
  const say =
    (level: string) =>
    (event: string, details: { readonly [name: string]: unknown } = {}) => {
      const time = new Date().toISOString();
      if (json) write(JSON.stringify({ time, level, event, ...details }));
      else write(`${time} ${level} ${event}${inWords(details)}`);
    };
  // A file is out of nobody's way.
  return { info: logs === 'all' || file !== undefined ? say('info') : () => {}, error: say('error') };
}

function inWords(details: { readonly [name: string]: unknown }): string {
  return Object.entries(details)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
