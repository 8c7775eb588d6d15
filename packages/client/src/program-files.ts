import { join, resolve } from 'node:path';
import type { TargetPlaces } from './target-places.ts';

type UserPlaces = Pick<TargetPlaces, 'home' | 'variables'>;

/** Where an agent or editor keeps its files, and in which of them it lists MCP servers. */
export interface ProgramFiles {
  /** The folder of a user's files. */
  readonly folder?: (places: UserPlaces) => string;
  /** The file of a user that lists servers. */
  readonly userFile?: (places: UserPlaces) => string;
  /** That of a project, from its folder on. */
  readonly projectFile?: string;
  /** The members that lead to the list; programs differ. */
  readonly lists: readonly (readonly [string, ...string[]])[];
}

export const CLAUDE_CODE = {
  folder: ofUser('.claude', 'CLAUDE_CONFIG_DIR'),
  userFile: ({ home, variables }: UserPlaces) => join(variables.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  projectFile: '.mcp.json',
  lists: [['mcpServers']],
} satisfies ProgramFiles;

export const CURSOR = {
  userFile: ({ home }: UserPlaces) => join(home, '.cursor', 'mcp.json'),
  projectFile: '.cursor/mcp.json',
  lists: [['mcpServers']],
} satisfies ProgramFiles;

export const VS_CODE = {
  projectFile: '.vscode/mcp.json',
  // The second one in settings.json.
  lists: [['servers'], ['mcp', 'servers']],
} satisfies ProgramFiles;

const geminiFolder = ofUser('.gemini');

export const GEMINI_CLI = {
  folder: geminiFolder,
  userFile: (places: UserPlaces) => join(geminiFolder(places), 'settings.json'),
  projectFile: '.gemini/settings.json',
  lists: [['mcpServers']],
} satisfies ProgramFiles;

export const QWEN_CODE = {
  folder: qwenFolder,
  userFile: (places: UserPlaces) => join(qwenFolder(places), 'settings.json'),
  projectFile: '.qwen/settings.json',
  lists: [['mcpServers']],
} satisfies ProgramFiles;

const copilotFolder = ofUser('.copilot', 'COPILOT_HOME');

export const COPILOT_CLI = {
  folder: copilotFolder,
  userFile: (places: UserPlaces) => join(copilotFolder(places), 'mcp-config.json'),
  lists: [['mcpServers']],
} satisfies ProgramFiles;

const codexFolder = ofUser('.codex', 'CODEX_HOME');

export const CODEX = {
  folder: codexFolder,
  userFile: (places: UserPlaces) => join(codexFolder(places), 'config.toml'),
  projectFile: '.codex/config.toml',
  lists: [['mcp_servers']],
} satisfies ProgramFiles;

/** Those whose servers a user can name; of two of one name the first one's counts. */
export const PROGRAMS: readonly ProgramFiles[] = [
  CLAUDE_CODE,
  CURSOR,
  VS_CODE,
  GEMINI_CLI,
  QWEN_CODE,
  COPILOT_CLI,
  CODEX,
];

/** A folder in the home, or the one that the variable names. */
function ofUser(folder: string, variable = '') {
  return ({ home, variables }: UserPlaces): string => variables[variable] || join(home, folder);
}

/** A relative QWEN_HOME is in the working directory of Qwen Code. */
function qwenFolder({ home, variables }: UserPlaces): string {
  const given = variables.QWEN_HOME || join(home, '.qwen');
  return given === '~' || given.startsWith('~/') ? join(home, given.slice(1)) : resolve(given);
}
