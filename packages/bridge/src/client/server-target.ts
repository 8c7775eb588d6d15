import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withParents } from '../discovery/real-folders.ts';
import { suggestion } from '../suggestion.ts';
import { serversIn, targetOf } from './configured-servers.ts';
import { type Target, TargetProblem } from './target.ts';
import type { TargetPlaces } from './target-places.ts';

export interface ServerChoice {
  readonly name: string;
  /** The configuration file; undefined: the usual ones. */
  readonly config: string | undefined;
}

/** The server of that name in a configuration file. Throws a TargetProblem if there is none. */
export function serverTarget({ name, config }: ServerChoice, places: TargetPlaces): Target {
  const folders = withParents(places.cwd);
  const files = config === undefined ? usualFiles(places, folders) : [resolve(places.cwd, config)];
  const known: string[] = [];
  for (const path of files) {
    const text = textOf(path, config !== undefined);
    if (text === undefined) continue;
    const servers = serversIn(path, text, folders);
    const entry = servers.get(name);
    const expansion = { variables: places.variables, workspaceFolder: places.cwd, home: places.home };
    if (entry !== undefined) return targetOf(name, entry, expansion);
    known.push(...servers.keys());
  }
  const where = config === undefined ? 'No configuration file here or of this user' : `${files[0]} does not`;
  const names = [...new Set(known)].sort();
  const hint = names.length === 0 ? '' : ` Known servers: ${names.join(', ')}.${suggestion(name, names)}`;
  throw new TargetProblem(
    config === undefined ? `${where} has a server ${name}.${hint}` : `${where} have a server ${name}.${hint}`,
  );
}

/** The nearest first, those of the user last. */
function usualFiles(places: TargetPlaces, folders: readonly string[]): string[] {
  const { home, claudeConfigDir, codexHome, copilotHome, qwenHome } = places;
  return [
    ...folders.flatMap((folder) => PROJECT_FILES.map((file) => join(folder, file))),
    join(claudeConfigDir || home, '.claude.json'),
    join(home, '.cursor', 'mcp.json'),
    join(home, '.gemini', 'settings.json'),
    join(qwenHome || join(home, '.qwen'), 'settings.json'),
    join(copilotHome || join(home, '.copilot'), 'mcp-config.json'),
    join(codexHome || join(home, '.codex'), 'config.toml'),
  ];
}

const PROJECT_FILES = [
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.codex/config.toml',
];

/** Undefined if a usual file does not exist. */
function textOf(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw new TargetProblem(`${path} can't be read: ${message}`);
  }
}
