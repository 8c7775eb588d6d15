import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Members, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { type Expansion, expanded } from './expand-variables.ts';
import { PROGRAMS } from './program-files.ts';
import { splitCommand } from './split-command.ts';
import { type Target, TargetProblem, urlTarget } from './target.ts';

/** The servers that a configuration file of an agent or editor names, with their entries as they stand there. */
export function serversIn(path: string, text: string, folders: readonly string[]): ReadonlyMap<string, Members> {
  const plain = text.replace(/^\ufeff/, '');
  const config = path.endsWith('.toml') ? readToml(path, plain) : readJson(path, plain);
  const projects = objectOrEmpty(config.projects);
  // Claude Code keeps servers of one project beside those of the user; the nearest project wins.
  const ofProjects = folders.flatMap((folder) => objectOrEmpty(projects[folder]).mcpServers ?? []);
  const lists = [...ofProjects, ...LISTS.map((at) => valueAt(config, at))];
  return new Map(lists.flatMap((list) => Object.entries(objectOrEmpty(list)).map(asEntry)).reverse());
}

/** Where programs keep their lists of servers: whose file `--config` names is not known. */
const LISTS = PROGRAMS.flatMap(({ lists }) => lists);

function valueAt(config: Members, [first, ...rest]: readonly string[]): unknown {
  const value = first !== undefined && Object.hasOwn(config, first) ? config[first] : undefined;
  return rest.length === 0 ? value : valueAt(objectOrEmpty(value), rest);
}

/** How a client connects to a server by its entry. Throws a TargetProblem that says what is wrong with the entry. */
export function targetOf(name: string, entry: Members, expansion: Expansion): Target {
  const text = (value: unknown, what: string): string => {
    if (typeof value !== 'string') throw new TargetProblem(`${name}: ${what} is not a text.`);
    return expanded(value, `${name}: ${what}`, expansion);
  };
  const texts = (value: unknown, what: string): Record<string, string> => {
    const members = objectOrEmpty(value);
    if (value !== undefined && members !== value) throw new TargetProblem(`${name}: ${what} is not an object.`);
    return Object.fromEntries(
      Object.entries(members).map(([key, each]) => [
        key,
        text(typeof each === 'number' || typeof each === 'boolean' ? String(each) : each, `${what}.${key}`),
      ]),
    );
  };
  const url = entry.httpUrl ?? entry.url;
  if (url !== undefined) {
    const headers = {
      ...texts(entry.headers ?? entry.http_headers, 'headers'),
      ...codexHeaders(name, entry, expansion),
    };
    return urlTarget(text(url, 'url'), headers);
  }
  if (entry.command === undefined) throw new TargetProblem(`${name} has neither a command nor a url.`);
  const { args: words = [] } = entry;
  if (!Array.isArray(words)) throw new TargetProblem(`${name}: args is not a list.`);
  const args = words.map((each, index) => text(each, `args[${index}]`));
  const command = text(entry.command, 'command');
  const [program = '', ...first] = args.length === 0 ? splitCommand(command) : [command];
  const folder = expansion.workspaceFolder;
  const cwd = entry.cwd === undefined ? folder : resolve(folder, text(entry.cwd, 'cwd'));
  if (entry.cwd !== undefined && !existsSync(cwd)) throw new TargetProblem(`${name}: There is no folder ${cwd}.`);
  const file = entry.envFile === undefined ? undefined : resolve(folder, text(entry.envFile, 'envFile'));
  const env = { ...(file !== undefined && variablesIn(file, name)), ...texts(entry.env, 'env') };
  return { kind: 'stdio', command: program, args: [...first, ...args], env, cwd };
}

/** VS Code and Cursor read variables from a file of lines with NAME=value. */
function variablesIn(file: string, name: string): Record<string, string> {
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')) } as Record<string, string>;
  } catch (error) {
    throw new TargetProblem(`${name}: envFile can't be read: ${(error as Error).message}`);
  }
}

/** Codex names variables that hold headers. */
function codexHeaders(name: string, entry: Members, expansion: Expansion): Record<string, string> {
  const { variables } = expansion;
  const headers: Record<string, string> = {};
  const { bearer_token_env_var: bearer, env_http_headers: named } = entry;
  if (typeof bearer === 'string') {
    headers.Authorization = `Bearer ${expanded(`\${${bearer}}`, `${name}: bearer_token_env_var`, expansion)}`;
  }
  for (const [header, variable] of Object.entries(objectOrEmpty(named))) {
    const value = typeof variable === 'string' ? variables[variable] : undefined;
    if (value !== undefined) headers[header] = value;
  }
  return headers;
}

function asEntry([name, entry]: [string, unknown]): [string, Members] {
  return [name, objectOrEmpty(entry)];
}

function readToml(path: string, text: string): Members {
  try {
    return parseToml(text);
  } catch (error) {
    const [first] = (error as Error).message.split('\n');
    throw new TargetProblem(`${path} is not valid TOML: ${first}`);
  }
}

/** With comments and trailing commas, which editors allow. */
function readJson(path: string, text: string): Members {
  const errors: ParseError[] = [];
  const config: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new TargetProblem(`${path} is not valid JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  return objectOrEmpty(config);
}
