import { describeTarget, type Target } from '../client/target.ts';
import type { HttpAsk } from './subject.ts';

const MAX_CHARS = 2000;
const MAX_LINES = 8;

export interface Traffic {
  readonly sent: readonly string[];
  readonly http: HttpAsk | undefined;
}

/** One line for a shell that shows what a check saw. Values of the user's own headers, which can be secret, are left out. */
export function reproductionOf(id: string, target: Target, { sent, http }: Traffic): string {
  const again = `hawser check ${target.kind === 'stdio' ? '--stdio' : '--url'} ${quoted(describeTarget(target))} --only ${id}`;
  const line = byHand(target, sent, http);
  return line === undefined || line.length > MAX_CHARS ? again : line;
}

function byHand(target: Target, sent: readonly string[], http: HttpAsk | undefined): string | undefined {
  if (target.kind === 'http' && http !== undefined) return curl(target.headers, http, describeTarget(target));
  if (target.kind !== 'stdio' || sent.length === 0 || sent.length > MAX_LINES) return undefined;
  const command = [target.command, ...target.args].map(quoted).join(' ');
  return `(printf '%s\\n' ${sent.map(quoted).join(' ')}; sleep 1) | ${command}`;
}

function curl(own: Readonly<Record<string, string>>, { method, headers = {}, body }: HttpAsk, url: string): string {
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const all = [...Object.keys(own).map((name) => `${name}: …`), ...given];
  return [
    'curl -i',
    `-X ${method}`,
    ...all.map((header) => `-H ${quoted(header)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
    quoted(url),
  ].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
