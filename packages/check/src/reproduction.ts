import { shellWord } from '@hawser/client/shell-word';
import { describeTarget, type HttpTarget, type StdioTarget, type Target } from '@hawser/client/target';
import { initializeParams, NEWEST } from './params.ts';
import { POST_HEADERS } from './wires/http.ts';
import type { HttpAsk } from './wires/http-ask.ts';

const MAX_CHARS = 2000;
const MAX_LINES = 8;

export interface Traffic {
  /** What was written to the connection that was used last, a piece for each message. */
  readonly sent: readonly Uint8Array[];
  /** The last request that was sent by hand. */
  readonly http: HttpAsk | undefined;
  /** Of the sessions that the check opened, which end with it. */
  readonly sessionIds: readonly string[];
}

export interface ReproductionOptions {
  readonly id: string;
  readonly target: Target;
  readonly traffic: Traffic;
  /** The folder of the user's shell. */
  readonly cwd: string;
}

/**
 * One line for a shell that shows what a check saw. Values of the user's own headers and variables, which can be secret,
 * are left out.
 */
export function reproductionOf({ id, target, traffic, cwd }: ReproductionOptions): string {
  const line = byHand(target, traffic, cwd);
  // A line with characters that the report must escape could not be copied.
  const isCopyable = line !== undefined && line.length <= MAX_CHARS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(line);
  return isCopyable ? line : again(id, target, cwd);
}

function again(id: string, target: Target, cwd: string): string {
  const only = `--only ${id}`;
  if (target.kind !== 'stdio') {
    const headers = ownHeaders(target).map((header) => ` --header ${shellWord(header)}`);
    return `hawser check --url ${shellWord(describeTarget(target))}${headers.join('')} ${only}`;
  }
  const { before, command } = commandOf(target, cwd);
  return `${before}hawser check --stdio ${shellWord(command)} ${only}`;
}

function byHand(target: Target, traffic: Traffic, cwd: string): string | undefined {
  if (target.kind === 'http' && traffic.http !== undefined && target.socketPath === undefined)
    return curl(target, traffic.http, traffic.sessionIds);
  const { sent } = traffic;
  if (target.kind !== 'stdio' || sent.length === 0 || sent.length > MAX_LINES) return undefined;
  const { before, command } = commandOf(target, cwd);
  const server = before === '' ? command : `(${before}${command})`;
  return `(${printing(sent)}; sleep 1) | ${server}`;
}

/** How a shell starts the server, and what must come before. */
function commandOf({ command, args, env, cwd: folder }: StdioTarget, cwd: string) {
  const variables = Object.keys(env).map((name) => `${name}=… `);
  return {
    before: `${folder === cwd ? '' : `cd ${shellWord(folder)} && `}${variables.join('')}`,
    command: [command, ...args].map(shellWord).join(' '),
  };
}

/** Commands that print the pieces, byte by byte. */
function printing(pieces: readonly Uint8Array[]): string {
  const texts = pieces.map((piece) => Buffer.from(piece).toString('latin1'));
  // Most are lines of printable ASCII, which are easier to read as they are.
  if (texts.every((text) => /^[\x20-\x7e]*\n$/.test(text))) {
    return `printf '%s\\n' ${texts.map((text) => shellWord(text.slice(0, -1))).join(' ')}`;
  }
  const format = texts
    .join('')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\n', '\\n')
    .replace(/[^\x20-\x7e]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `printf ${shellWord(format)}`;
}

function curl(target: HttpTarget, { method, headers = {}, body }: HttpAsk, sessionIds: readonly string[]): string {
  const url = shellWord(describeTarget(target));
  const own = ownHeaders(target).map((header) => `-H ${shellWord(header)}`);
  let isInSession = false;
  const given = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!sessionIds.includes(value)) return [`-H ${shellWord(`${name}: ${value}`)}`];
    isInSession = true;
    return [`-H "${name}: $S"`];
  });
  const data = body === undefined ? [] : [`--data-binary ${shellWord(Buffer.from(body).toString())}`];
  const line = ['curl -i', `-X ${method}`, ...own, ...given, ...data, url].join(' ');
  return isInSession ? `${sessionOf(url, own)}; ${line}` : line;
}

/** Opens a session, and keeps its id in a variable. */
function sessionOf(url: string, own: readonly string[]): string {
  const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams(NEWEST) };
  const headers = Object.entries(POST_HEADERS).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`);
  const data = `--data-binary ${shellWord(JSON.stringify(message))}`;
  const open = ['curl -s -D - -o /dev/null', ...own, ...headers, data, url].join(' ');
  return `S=$(${open} | awk -F ': ' 'tolower($1) == "mcp-session-id" { print $2 }' | tr -d '\\r')`;
}

/** With their values left out. */
function ownHeaders(target: Exclude<Target, StdioTarget>): string[] {
  const isLoggedIn = target.kind === 'http' && target.authorization?.isLoggedIn === true;
  const own = isLoggedIn ? { ...target.headers, Authorization: '' } : target.headers;
  return Object.keys(own).map((name) => `${name}: …`);
}
