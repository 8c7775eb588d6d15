import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { ConfigRefused } from './config-refused.ts';
import type { ServerEntry, Setting } from './guide.ts';

/**
 * The text with the settings in it, each a table with members. Everything else stays as it is; a text that has the
 * settings comes back unchanged. The result is read again: a text that can't be changed safely throws a ConfigRefused.
 */
export function editToml(text: string, settings: readonly Setting[]): string {
  return settings.reduce((edited, { at, value }) => withTable(edited, at, value as ServerEntry), text);
}

type Table = Readonly<Record<string, unknown>>;

function withTable(text: string, at: readonly string[], members: ServerEntry): string {
  const before = read(text);
  const wanted = merged(before, at, members);
  if (isDeepStrictEqual(before, wanted)) return text;
  const edited = edit(text, at, members);
  // Patterns changed the text, so its meaning is checked.
  if (!isDeepStrictEqual(readOrUndefined(edited), wanted)) {
    throw new ConfigRefused(`${at.join('.')} is written in a form that can't be changed here; change it by hand`);
  }
  return edited;
}

function edit(text: string, at: readonly string[], members: ServerEntry): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const header = headerOf(at).exec(text);
  if (header === null) {
    const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd.repeat(2);
    return `${text}${gap}${[`[${at.join('.')}]`, ...lines].join(lineEnd)}${lineEnd}`;
  }
  const start = header.index + header[0].length;
  const next = /^[ \t]*\[/m.exec(text.slice(start));
  const end = next === null ? text.length : start + next.index;
  const section = Object.entries(members).reduce(
    (edited, [name, value]) => {
      const member = new RegExp(
        `^([ \\t]*${name}[ \\t]*=[ \\t]*)(\\[[^\\]]*\\]|"(?:[^"\\\\\\n]|\\\\.)*"|[^\\s#]+)`,
        'm',
      );
      // A function, because a value may contain `$&`.
      if (member.test(edited)) return edited.replace(member, (_, left: string) => `${left}${JSON.stringify(value)}`);
      return `${lineEnd}${name} = ${JSON.stringify(value)}${edited}`;
    },
    text.slice(start, end),
  );
  return text.slice(0, start) + section + text.slice(end);
}

/** The line `[a.b]`, without its end. */
function headerOf(at: readonly string[]): RegExp {
  const names = at.map((name) => `["']?${name}["']?`).join('[ \\t]*\\.[ \\t]*');
  return new RegExp(`^[ \\t]*\\[[ \\t]*${names}[ \\t]*\\][^\\r\\n]*`, 'm');
}

function merged(table: Table, [name = '', ...inner]: readonly string[], members: ServerEntry): Table {
  const own = Object.hasOwn(table, name) ? table[name] : {};
  if (typeof own !== 'object' || own === null || Array.isArray(own)) throw new ConfigRefused(`${name} is not a table`);
  const value = inner.length === 0 ? { ...own, ...members } : merged(own as Table, inner, members);
  return { ...table, [name]: value };
}

function read(text: string): Table {
  try {
    return plain(parse(text));
  } catch (error) {
    const [first] = (error as Error).message.split('\n');
    throw new ConfigRefused(`it is not valid TOML (${first})`);
  }
}

function readOrUndefined(text: string): Table | undefined {
  try {
    return plain(parse(text));
  } catch {
    return undefined;
  }
}

/** Tables of the parser have no prototype, which comparisons would notice. */
function plain(table: object): Table {
  return structuredClone({ ...table });
}
