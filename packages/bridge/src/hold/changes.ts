import { execFile } from 'node:child_process';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoredNames } from '../files/snapshot.ts';
import type { Layer } from './layer.ts';
import { mountLine, unshareOptions } from './scripts.ts';

/** A difference between the layer and the project. Names are relative to both, with slashes. */
export interface Difference {
  readonly name: string;
  /** What the project has there now; undefined for nothing. */
  readonly before: Stats | undefined;
  /** What the command left there. */
  readonly after: Stats | undefined;
}

export interface Differences {
  /** Files and links, in order of their names. */
  readonly files: readonly Difference[];
  /** What git ignores, and git's own files: not reviewed. Whole folders where the command has made or removed them. */
  readonly ignored: readonly Difference[];
  /** New folders without a file, and folders that are gone. */
  readonly folders: readonly Difference[];
  /** There are more than the limit. */
  readonly isCut: boolean;
}

const MAX_FILES = 20_000;
const LIST_MS = 30_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** What a command over a layer has changed, once it has ended. */
export async function differencesIn(layer: Layer): Promise<Differences> {
  const { folder, project } = layer;
  const files: Difference[] = [];
  const ignored: Difference[] = [];
  const folders: Difference[] = [];
  const gone = await goneFrom(layer);
  const differenceAt = (name: string): Difference => {
    const held = statAt(join(folder, 'up', name));
    const before = statAt(join(project, name));
    // What is under a folder that was made anew is not in the layer: it is gone.
    return { name, before, after: held === undefined || isWhiteout(held) ? undefined : held };
  };
  let level = await childrenOf(join(folder, 'up'));
  while (level.length > 0 && files.length + ignored.length < MAX_FILES) {
    const passed = await ignoredNames(project, level);
    const next: string[] = [];
    for (const name of level) {
      const difference = differenceAt(name);
      const { before, after } = difference;
      if (before === undefined && after === undefined) continue;
      const isBoth = before?.isDirectory() === true && after?.isDirectory() === true;
      if (passed.has(name) && !isBoth) ignored.push(difference);
      else if (before?.isDirectory() !== true && after?.isDirectory() !== true) files.push(difference);
      else {
        const inLayer = after?.isDirectory() === true ? await childrenOf(join(folder, 'up', name)) : [];
        // Of a folder that is gone, all is; of one that is in both, what the layer hides.
        const below = before?.isDirectory() === true && !isBoth ? await childrenOf(join(project, name)) : [];
        const children = [
          ...new Set([...inLayer, ...below, ...(gone.get(name) ?? [])].map((each) => `${name}/${each}`)),
        ];
        if (!isBoth && (children.length === 0 || after === undefined)) folders.push(difference);
        // A file in the place of a folder, or the other way round.
        if (!isBoth && after !== undefined && before !== undefined) files.push(difference);
        else next.push(...children);
      }
    }
    level = next;
  }
  const inOrder = (one: Difference, other: Difference) => (one.name < other.name ? -1 : 1);
  return { files: files.filter(isChange(layer)).sort(inOrder), ignored, folders, isCut: level.length > 0 };
}

/** A link with the same target has not changed; files are compared when they are read. */
function isChange({ folder, project }: Layer) {
  return ({ name, before, after }: Difference): boolean => {
    if (before?.isSymbolicLink() !== true || after?.isSymbolicLink() !== true) return true;
    return readlinkSync(join(project, name)) !== readlinkSync(join(folder, 'up', name));
  };
}

function isWhiteout(found: Stats): boolean {
  return found.isCharacterDevice() && found.rdev === 0;
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

async function childrenOf(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

/**
 * By folder, the names that the layer hides without a mark of their own: a folder that was removed and made again hides all
 * that was in it. The mark is an attribute that Node can't read, so the layer is mounted once more and listed.
 */
async function goneFrom(layer: Layer): Promise<ReadonlyMap<string, readonly string[]>> {
  const both = await foldersInBoth(layer, '');
  const gone = new Map<string, readonly string[]>();
  if (both.length === 0) return gone;
  const seen = await listMounted(layer, both);
  for (const name of both) {
    const held = await childrenOf(join(layer.folder, 'up', name));
    const below = await childrenOf(join(layer.project, name));
    const hidden = below.filter((child) => !held.includes(child) && !seen.has(`${name}/${child}`));
    if (hidden.length > 0) gone.set(name, hidden);
  }
  return gone;
}

async function foldersInBoth({ folder, project }: Layer, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(folder, 'up', name), { withFileTypes: true }).catch(() => [])) {
    const path = name === '' ? entry.name : `${name}/${entry.name}`;
    if (!entry.isDirectory() || statAt(join(project, path))?.isDirectory() !== true) continue;
    found.push(path, ...(await foldersInBoth({ folder, project } as Layer, path)));
  }
  return found;
}

/** What is in these folders of the project under the layer. */
function listMounted({ folder, project, way }: Layer, names: readonly string[]): Promise<ReadonlySet<string>> {
  const list = `cd "$1" && xargs -0 sh -c 'find "$@" -mindepth 1 -maxdepth 1 -print0' sh`;
  const script = `${mountLine(folder, project, [])} && ${list}`;
  const options = { timeout: LIST_MS, maxBuffer: MAX_LIST_BYTES };
  return new Promise((resolve, reject) => {
    const args = [...unshareOptions(way).split(' '), 'sh', '-c', script, 'sh', project];
    const child = execFile('unshare', args, options, (error, stdout, stderr) => {
      if (error !== null) return reject(new Error(`What the command changed can't be listed: ${stderr.trim()}`));
      resolve(new Set(stdout.split('\0').map((name) => name.replace(/^\.\//, ''))));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(names.map((name) => `./${name}`).join('\0'));
  });
}
