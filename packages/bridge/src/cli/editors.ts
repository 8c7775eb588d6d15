import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { jsonText } from '@hawser/terminal-text/json-text';
import { askLine } from '@hawser/terminal-text/line-input';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import { realFolders } from '@hawser/user-files/real-folders';
import { discoveryPlaces } from '../command-line/editor-finder.ts';
import type { Environment } from '../command-line/environment.ts';
import {
  type DiscoveryFile,
  type EditorState,
  findDiscoveryFiles,
  removeStale,
  stateOf,
} from '../discovery/editors.ts';

export interface EditorsFlags {
  readonly sweep?: true;
  readonly yes?: true;
  readonly json?: true;
}

export const editorsCommand: CommandSyntax = {
  name: 'editors',
  description: 'list the editors that agents can find on this machine',
  options: [
    { name: 'sweep', description: 'remove the files of editors that have ended, after asking' },
    { name: 'yes', short: 'y', description: 'with --sweep: without asking' },
    { name: 'json', description: 'as JSON' },
  ],
  notes: `Reads the discovery files of every kind of agent that Hawser knows. A stale file names an editor that has ended or does
not listen. If your home folder is shared with other machines, editors that run there look stale here: don't sweep then.`,
};

interface FileWithState {
  readonly file: DiscoveryFile;
  readonly state: EditorState;
}

/** An editor is what its files say; one editor has a file for each kind of agent. */
interface EditorReport {
  readonly name: string;
  readonly pid: number | undefined;
  readonly workspaceFolders: readonly string[];
  readonly state: 'alive' | 'stale';
  /** Why it is stale. */
  readonly reason?: string;
  readonly files: readonly { readonly agent: string; readonly path: string; readonly url: string }[];
}

/** Lists every editor that agents can find, and removes the files of those that have ended if the user wants that. */
export async function editors(flags: EditorsFlags, environment: Environment): Promise<void> {
  const { files, problems } = findDiscoveryFiles(discoveryPlaces(environment), realFolders([environment.cwd]));
  const found = await Promise.all(files.map(async (file) => ({ file, state: await stateOf(file) })));
  const reports = reportsOf(found);
  if (flags.sweep) return await sweep(found, flags, environment);
  if (flags.json) {
    return environment.stdout(jsonText({ editors: reports, unreadableFiles: problems }));
  }
  for (const line of tableLines(rowsOf(reports), environment.columns)) environment.stdout(line);
  if (reports.length === 0) environment.stdout('No editor runs that agents can find.');
  for (const { path, message } of problems) environment.stdout(escaped(`${path}: ${message}`));
}

async function sweep(found: readonly FileWithState[], { yes, json }: EditorsFlags, environment: Environment) {
  const stale = found.filter(({ state }) => state.kind === 'stale');
  const removed: string[] = [];
  if (stale.length > 0 && (yes || (await isConfirmed(stale, environment)))) {
    for (const { file } of stale) if (await removeStale(file)) removed.push(file.path);
  }
  if (json) environment.stdout(jsonText({ removed }));
  else if (stale.length === 0) environment.stdout('No file is stale.');
  else for (const path of removed) environment.stdout(escaped(`removed ${path}`));
}

async function isConfirmed(stale: readonly FileWithState[], { terminal, stdout }: Environment): Promise<boolean> {
  if (terminal === undefined) {
    throw new CommandFailed(ExitCode.usage, 'There is no terminal to ask in; add --yes to remove without asking.');
  }
  for (const { file, state } of stale) {
    stdout(escaped(`${file.path}: ${state.kind === 'stale' ? state.reason : ''}`));
  }
  const files = stale.length === 1 ? 'this file' : `these ${stale.length} files`;
  return /^\s*y/i.test((await askLine(`Remove ${files}? [y/N] `, terminal)) ?? '');
}

function reportsOf(found: readonly FileWithState[]): EditorReport[] {
  const groups = new Map<string, FileWithState[]>();
  for (const each of found) {
    const { pid, folders, path } = each.file;
    // A kind of file that names no process stands for itself.
    const key = JSON.stringify([pid ?? path, folders, each.state]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { file, state } = first;
    return {
      name: group.find((each) => each.file.name !== undefined)?.file.name ?? 'unnamed',
      pid: file.pid,
      workspaceFolders: file.folders,
      state: state.kind,
      ...(state.kind === 'stale' && { reason: state.reason }),
      files: group.map((each) => ({
        agent: each.file.agent,
        path: each.file.path,
        url:
          each.file.endpoint.socketPath === undefined
            ? each.file.endpoint.url
            : `unix:${each.file.endpoint.socketPath}`,
      })),
    };
  });
}

function rowsOf(reports: readonly EditorReport[]): string[][] {
  if (reports.length === 0) return [];
  return [
    ['EDITOR', 'PID', 'STATE', 'AGENTS', 'WORKSPACE'],
    ...reports.map(({ name, pid, state, reason, files, workspaceFolders }) => [
      name,
      pid === undefined ? '-' : String(pid),
      reason === undefined ? state : `${state}: ${reason}`,
      files.map(({ agent }) => agent).join(','),
      workspaceFolders.join(', ') || '-',
    ]),
  ];
}
