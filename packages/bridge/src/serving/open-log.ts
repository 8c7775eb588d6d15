import { appendFileSync } from 'node:fs';
import { escaped } from '@hawser/terminal-text/wrapping';
import { systemReason } from '@hawser/user-files/private-file';
import type { Log, LogDetails } from '../log.ts';

export interface LogOptions {
  /** Appended to; stderr without it. */
  readonly file: string | undefined;
  /** One JSON object a line instead of words. */
  readonly json: boolean;
  /** Default `info`, which is everything. */
  readonly level?: 'info' | 'error' | undefined;
  readonly stderr: (line: string) => void;
}

/** One line for each event. Throws if the file can't be written; later, lines that can't be written are lost. */
export function openLog({ file, json, stderr, level = 'info' }: LogOptions): Log {
  const write = file === undefined ? stderr : fileWriter(file, stderr);
  const say =
    (kind: string) =>
    (event: string, details: LogDetails = {}) => {
      const time = new Date().toISOString();
      // Agents choose some of these texts, and a terminal may show them.
      if (json) write(JSON.stringify({ time, level: kind, event, ...details }).replace(UNPRINTABLE, asEscape));
      else write(escaped(`${time} ${kind} ${event}${inWords(details)}`));
    };
  return { info: level === 'info' ? say('info') : () => {}, error: say('error') };
}

/** Reports only the first of several failures: a full disk must not fill stderr. */
function fileWriter(file: string, stderr: (line: string) => void): (line: string) => void {
  const append = (text: string) => appendFileSync(file, text, { mode: 0o600 });
  const problem = (error: unknown) => `The log file can't be written: ${systemReason(error)}: ${file}`;
  try {
    append('');
  } catch (error) {
    throw new Error(problem(error), { cause: error });
  }
  let isFailing = false;
  return (line) => {
    try {
      append(`${line}\n`);
      isFailing = false;
    } catch (error) {
      if (!isFailing) stderr(`hawser: ${problem(error)}`);
      isFailing = true;
    }
  };
}

/** Unprintable characters that JSON does not escape. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

function asEscape(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function inWords(details: LogDetails): string {
  return Object.entries(details)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
