import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseObject } from '@hawser/unknown-values/objects';
import { isAlive } from '@hawser/user-files/alive';
import { randomName } from '@hawser/user-files/names';
import { makePrivateFolder, namesIn, writePrivateFile } from '@hawser/user-files/private-file';
import { layerScripts, type Way } from './scripts.ts';

/** A command of an agent that runs over a layer: what it changes in the project is in the layer's folder, and nowhere else. */
export interface Layer {
  readonly folder: string;
  readonly stateFolder: string;
  /** The file that says so. */
  readonly record: string;
  /** Absolute and real. */
  readonly project: string;
  readonly agent: string;
  readonly session: string | undefined;
  /** As the agent wrote it. */
  readonly command: string;
  /** What the agent runs in its place. */
  readonly text: string;
  readonly way: Way;
  /** It could not be mounted where the agent runs its commands, so the command did not run. */
  readonly hasFailed?: true;
  /** In milliseconds. */
  readonly made: number;
}

/** The user may take long to allow a command, and what an interrupted one changed is reviewed after the next one. */
const UNCLAIMED_MS = 24 * 60 * 60 * 1000;
const END_MS = 1000;

/** The layers of this user, in their state folder. */
export class Layers {
  readonly #stateFolder: string;
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
    this.#folder = join(stateFolder, 'hold', 'layers');
  }

  /** Makes a layer in `place`, and the command that runs over it. */
  async make(
    place: string,
    way: Way,
    held: Pick<Layer, 'project' | 'agent' | 'session' | 'command'> & { readonly mounts: readonly string[] },
  ): Promise<Layer> {
    const { mounts, ...about } = held;
    const id = randomName(12);
    const folder = join(place, id);
    makePrivateFolder(place);
    for (const name of ['', 'up', 'work', 'lower']) await mkdir(join(folder, name), { mode: 0o700 });
    const { files, text } = layerScripts(folder, way, held);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
    makePrivateFolder(this.#folder);
    const record = join(this.#folder, `${id}.json`);
    const layer: Layer = { ...about, folder, stateFolder: this.#stateFolder, record, text, way, made: Date.now() };
    writePrivateFile(layer.record, JSON.stringify(layer));
    return layer;
  }

  /** Those of an agent's conversation that nobody reviews yet, the oldest first. */
  of({ agent, session }: Pick<Layer, 'agent' | 'session'>): readonly Layer[] {
    return this.#all()
      .filter((layer) => layer.agent === agent && layer.session === session)
      .filter((layer) => layer.hasFailed !== true && reviewerOf(layer) === undefined)
      .sort((one, other) => one.made - other.made);
  }

  /** Whether a layer of this conversation could not be mounted. */
  haveFailed({ agent, session }: Pick<Layer, 'agent' | 'session'>): boolean {
    return this.#all().some((layer) => layer.agent === agent && layer.session === session && layer.hasFailed === true);
  }

  /** Removes what a killed bridge left, and what nobody has asked about for a day. What they changed is not kept. */
  async sweep(): Promise<void> {
    for (const layer of this.#all()) if (isAbandoned(layer)) await removeLayer(layer).catch(() => undefined);
  }

  #all(): readonly Layer[] {
    return namesIn(this.#folder).flatMap((name) => this.#read(join(this.#folder, name)) ?? []);
  }

  #read(record: string): Layer | undefined {
    try {
      // Only this user can write there.
      return parseObject(readFileSync(record, 'utf8')) as Layer | undefined;
    } catch {
      return undefined;
    }
  }
}

/** From now on the layer stays as long as this process lives. False if another process reviews it. */
export function claimLayer({ folder }: Layer): boolean {
  try {
    writeFileSync(join(folder, 'reviewer'), String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** It is this process that reviews the layer now. */
export function adoptLayer({ folder }: Layer): void {
  writeFileSync(join(folder, 'reviewer'), String(process.pid), { mode: 0o600 });
}

/** Remembers that it could not be mounted. */
export async function failLayer(layer: Layer): Promise<void> {
  await removeTree(layer.folder);
  writePrivateFile(layer.record, JSON.stringify({ ...layer, hasFailed: true }));
}

export async function removeLayer({ folder, record }: Layer): Promise<void> {
  await removeTree(folder);
  rmSync(record, { force: true });
}

/** `waiting`: the command has not begun. */
export function stateOf({ folder }: Layer): 'waiting' | 'running' | 'ended' {
  const pid = noteIn(folder, 'pid');
  if (pid === undefined) return 'waiting';
  return isAlive(Number(pid)) ? 'running' : 'ended';
}

/** Ends what a command left running: nobody would see what it changes from now on. Returns how many processes that were. */
export async function endProcesses(layer: Layer): Promise<number> {
  const found = await processesOf(layer);
  const until = Date.now() + END_MS;
  for (let pids = found; pids.length > 0; pids = await processesOf(layer)) {
    for (const pid of pids) signal(pid, Date.now() < until ? 'SIGTERM' : 'SIGKILL');
    await delay(20);
  }
  return found.length;
}

/** The processes that see the project under the layer. */
export async function processesOf({ folder }: Layer): Promise<readonly number[]> {
  const space = noteIn(folder, 'ns');
  if (space === undefined) return [];
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const isIn = async (pid: string) => {
    if ((await readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined)) !== space) return false;
    // The system gives the number to another namespace when the last process has left this one.
    return (await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')).includes(`/${basename(folder)}/up`);
  };
  const found = await Promise.all(pids.map(isIn));
  return pids.filter((_, index) => found[index]).map(Number);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function isAbandoned(layer: Layer): boolean {
  const reviewer = reviewerOf(layer);
  if (reviewer !== undefined) return !isAlive(reviewer);
  return stateOf(layer) !== 'running' && Date.now() - layer.made > UNCLAIMED_MS;
}

function reviewerOf({ folder }: Layer): number | undefined {
  const pid = noteIn(folder, 'reviewer');
  return pid === undefined ? undefined : Number(pid);
}

function noteIn(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Also folders that nobody may read: the system makes one of them. */
async function removeTree(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) return await unlink(folder);
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await chmod(folder, 0o700);
    for (const name of await readdir(folder)) await removeTree(join(folder, name));
    await rmdir(folder);
  });
}
