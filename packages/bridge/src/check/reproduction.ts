import { shellWord } from '../client/shell-word.ts';
import { describeTarget, type HttpTarget, type Target } from '../client/target.ts';
import type { HttpAsk } from './subject.ts';

const MAX_CHARS = 2000;
const MAX_LINES = 8;

export interface Traffic {
  readonly sent: readonly string[];
  readonly http: HttpAsk | undefined;
}

/** One line for a shell that shows what a check saw. Values of the user's own headers, which can be secret, are left out. */
export function reproductionOf(id: string, target: Target, { sent, http }: Traffic): string {
  const again = `hawser check ${target.kind === 'stdio' ? '--stdio' : '--url'} ${shellWord(describeTarget(target))} --only ${id}`;
  const line = byHand(target, sent, http);
  return line === undefined || line.length > MAX_CHARS ? again : line;
}

function byHand(target: Target, sent: readonly string[], http: HttpAsk | undefined): string | undefined {
  if (target.kind === 'http' && http !== undefined) return curl(target, http);
  if (target.kind !== 'stdio' || sent.length === 0 || sent.length > MAX_LINES) return undefined;
  const command = [target.command, ...target.args].map(shellWord).join(' ');
  return `(printf '%s\\n' ${sent.map(shellWord).join(' ')}; sleep 1) | ${command}`;
}

function curl(target: HttpTarget, { method, headers = {}, body }: HttpAsk): string {
  const own = target.authorization?.isLoggedIn ? { ...target.headers, Authorization: '' } : target.headers;
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const all = [...Object.keys(own).map((name) => `${name}: …`), ...given];
  return [
    'curl -i',
    `-X ${method}`,
    ...all.map((header) => `-H ${shellWord(header)}`),
    ...(body === undefined ? [] : [`--data-binary ${shellWord(Buffer.from(body).toString())}`]),
    shellWord(describeTarget(target)),
  ].join(' ');
}
