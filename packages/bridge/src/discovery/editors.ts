import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { isAlive } from '@hawser/user-files/alive';
import { namesIn, readOwnFile } from '@hawser/user-files/private-file';
import type { Address } from './address.ts';
import { type AgentPlaces, addressOf, type DiscoveryFormat, type EditorEndpoint } from './format.ts';
import { isListening } from './listening.ts';

/** What a discovery file says about the editor that wrote it. */
export interface DiscoveryFile {
  readonly path: string;
  /** The agent that reads the file. */
  readonly agent: string;
  /** What the editor calls itself, if the file says so. */
  readonly name: string | undefined;
  readonly pid: number | undefined;
  readonly folders: readonly string[];
  readonly endpoint: EditorEndpoint;
  /** The text of the file, to notice a change. */
  readonly text: string;
}

export interface FileProblem {
  readonly path: string;
  readonly agent: string;
  readonly message: string;
}

export type EditorState =
  | { readonly kind: 'alive' }
  /** Its editor has ended, or does not listen any more. */
  | { readonly kind: 'stale'; readonly reason: string };

export interface FoundFiles {
  readonly files: readonly DiscoveryFile[];
  readonly problems: readonly FileProblem[];
}

/** What decides which discovery files there are. */
export interface DiscoveryPlaces extends AgentPlaces {
  /** The kinds of files to look for. Those of projects come last, because the others name projects. */
  readonly formats: readonly DiscoveryFormat[];
}

/** Every discovery file of this user; those in projects, of the given ones and of the editors that are found. */
export function findDiscoveryFiles(places: DiscoveryPlaces, projects: readonly string[]): FoundFiles {
  const files: DiscoveryFile[] = [];
  const problems: FileProblem[] = [];
  let known = projects;
  for (const format of places.formats) {
    for (const folder of format.folders(places, known)) {
      const names = namesOrProblem(folder);
      if (names instanceof Error) problems.push({ path: folder, agent: format.agent, message: names.message });
      else {
        for (const name of names.filter(isFinished)) {
          const found = readFileAs(format, join(folder, name), places);
          if (found instanceof Error) {
            problems.push({ path: join(folder, name), agent: format.agent, message: found.message });
          } else if (found !== undefined) files.push(found);
        }
      }
    }
    // Where there is an editor, there may be files in its project.
    known = [...projects, ...files.flatMap((file) => file.folders)];
  }
  return { files, problems };
}

/** Reads a discovery file of any kind. An Error says why that can't be done. */
export function readDiscoveryFile(
  path: string,
  places: Pick<DiscoveryPlaces, 'formats' | 'isWindows'>,
): DiscoveryFile | Error {
  const found = places.formats.flatMap((format) => readFileAs(format, path, places) ?? []);
  const agents = places.formats.map(({ agent }) => agent);
  return (
    found.find((each) => !(each instanceof Error)) ??
    found[0] ??
    new Error(`Its name is that of no discovery file. Known are those of ${agents.join(', ')}`)
  );
}

/** Whether the editor of a file runs. */
export async function stateOf({ pid, endpoint }: DiscoveryFile): Promise<EditorState> {
  const address = addressOf(endpoint);
  if (pid !== undefined && !isAlive(pid)) return { kind: 'stale', reason: `process ${pid} has ended` };
  if (address === undefined || (await isListening(address))) return { kind: 'alive' };
  return { kind: 'stale', reason: `nothing listens on ${inWords(address)}` };
}

/**
 * Removes a file that still says what it said, and whose editor still does not run. One whose address answers stays: its
 * editor may run in another container, where its process can't be seen from here. Returns whether it did.
 */
export async function removeStale(file: DiscoveryFile): Promise<boolean> {
  const state = await stateOf(file);
  const address = addressOf(file.endpoint);
  if (state.kind === 'alive' || (address !== undefined && (await isListening(address)))) return false;
  if (readOwnFile(file.path) !== file.text) return false;
  rmSync(file.path, { force: true });
  return true;
}

function namesOrProblem(folder: string): string[] | Error {
  try {
    return namesIn(folder);
  } catch (error) {
    return error as Error;
  }
}

/** A temporary file has a dot before its name until it is complete. */
function isFinished(name: string): boolean {
  return !name.startsWith('.') && /\.(lock|json)$/.test(name);
}

function readFileAs(
  format: DiscoveryFormat,
  path: string,
  places: Pick<AgentPlaces, 'isWindows'>,
): DiscoveryFile | Error | undefined {
  const text = readOwnFile(path);
  if (text === undefined) return new Error('There is no such file');
  if (text instanceof Error) return text;
  const lock = format.reader(places)(basename(path), text);
  if (lock === undefined || lock instanceof Error) return lock;
  const members = parseObject(text) ?? {};
  const endpoint = format.endpoint(lock, members);
  if (endpoint === undefined || !URL.canParse(endpoint.url)) return new Error('It does not say where to connect');
  const { pid, folders } = lock;
  return { path, agent: format.agent, name: nameIn(members), pid, folders, endpoint, text };
}

function nameIn({ ideName, ideInfo }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof ideName === 'string') return ideName;
  const { displayName } = (ideInfo ?? {}) as { readonly displayName?: unknown };
  return typeof displayName === 'string' ? displayName : undefined;
}

function inWords({ port, socketPath }: Address): string {
  return socketPath === undefined ? `port ${port}` : `the socket ${socketPath}`;
}
