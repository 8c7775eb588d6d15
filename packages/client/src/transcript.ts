import { isObject } from '@hawser/unknown-values/objects';

/**
 * A transcript is one or more sessions, one message a line:
 *
 *     == what this session shows        begins a session, on a connection of its own
 *     # a comment
 *     → {"jsonrpc":"2.0", …}            client to server
 *     ← {"jsonrpc":"2.0", …}            server to client
 *     ! the user accepts the diff       something happens on the side that is tested; the test says how
 *     × closed                          the side that is tested ends the connection
 */
export interface Session {
  readonly title: string;
  readonly lines: readonly Line[];
}

export type Line =
  | { readonly kind: 'message'; readonly from: Side; readonly text: string; readonly number: number }
  | { readonly kind: 'cue'; readonly name: string; readonly number: number }
  | { readonly kind: 'close'; readonly number: number };

export type Side = 'client' | 'server';

export function parseTranscript(text: string): Session[] {
  const sessions: { title: string; lines: Line[] }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1;
    const [, sign, rest] = /^(==|#|\u2192|\u2190|!|\u00d7)(?:\s+(.*))?$/.exec(line.trim()) ?? [];
    if (sign === '==' && rest) {
      sessions.push({ title: rest, lines: [] });
    } else if (sign === '#' || line.trim() === '') {
    } else {
      const lines = sessions.at(-1)?.lines;
      if (lines === undefined) throw new Error(`line ${number}: a session begins with == and a title`);
      lines.push(parseLine(sign, rest, number));
    }
  }
  return sessions;
}

/** Each member that differs, named by its path. The order of members does not matter; nothing else is forgiven. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      memberDifferences(expected, actual, String(index), `${path}[${index}]`),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) =>
      memberDifferences(expected, actual, name, path === '' ? name : `${path}.${name}`),
    );
  }
  if (Object.is(expected, actual)) return [];
  return [`${path || 'message'} should be ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`];
}

function parseLine(sign: string | undefined, rest: string | undefined, number: number): Line {
  if (sign === '!' && rest) return { kind: 'cue', name: rest, number };
  if (sign === '→' && rest) return { kind: 'message', from: 'client', text: rest, number };
  if (sign === '←' && rest) return { kind: 'message', from: 'server', text: rest, number };
  if (sign === '×') return { kind: 'close', number };
  throw new Error(`line ${number}: expected ==, #, →, ←, ! or × and a text after it`);
}

function memberDifferences(expected: object, actual: object, name: string, path: string): string[] {
  const value = (holder: object) => (holder as { readonly [name: string]: unknown })[name];
  if (!Object.hasOwn(actual, name)) return [`${path} is missing, should be ${JSON.stringify(value(expected))}`];
  if (!Object.hasOwn(expected, name)) return [`${path} should not be there, is ${JSON.stringify(value(actual))}`];
  return differences(value(expected), value(actual), path);
}
