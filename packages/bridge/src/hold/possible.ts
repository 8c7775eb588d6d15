import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { makePrivateFolder, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';
import { contains } from '../access/paths.ts';
import { Layers, removeLayer } from './layer.ts';
import type { Way } from './scripts.ts';

/** Where layers can be, and how they are mounted. Otherwise why commands can't be held. */
export type Holding =
  | { readonly kind: 'possible'; readonly place: string; readonly way: Way }
  | { readonly kind: 'impossible'; readonly reason: string };

const TRIAL_MS = 10_000;

/** Whether this machine can run a command of the project over a layer. Tried out once until it starts again. */
export async function holdingFor(
  project: string,
  { stateFolder, temporaryFolder }: { readonly stateFolder: string; readonly temporaryFolder: string },
): Promise<Holding> {
  if (process.platform !== 'linux') return impossible('only Linux can hold the changes of a command');
  const uid = process.getuid?.() ?? 0;
  const places = [
    join(stateFolder, 'hold'),
    join(temporaryFolder, `hawser-hold-${uid}`),
    `/dev/shm/hawser-hold-${uid}`,
  ];
  // What is in the project is part of the layer, and a layer can't be in itself. Others separate the options of a mount.
  const usable = places.filter((place) => !contains(project, place) && /^[\w./@%+-]+$/.test(place));
  let reason = 'there is no folder outside of the project for its layer';
  for (const place of usable) {
    const known = await remembered(place, stateFolder);
    if (known.kind === 'possible') return known;
    reason = known.reason;
  }
  return impossible(reason);
}

async function remembered(place: string, stateFolder: string): Promise<Holding> {
  const file = join(stateFolder, 'hold', 'machine.json');
  const text = readOwnFile(file);
  const known = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
  const boot = bootOf();
  const places = known.boot === boot ? ((known.places ?? {}) as Record<string, Holding>) : {};
  const before = places[place];
  if (before !== undefined) return before;
  const found = await tryOut(place, stateFolder);
  makePrivateFolder(join(stateFolder, 'hold'));
  writePrivateFile(file, JSON.stringify({ boot, places: { ...places, [place]: found } }));
  return found;
}

function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Runs a command over a layer, which must not change the folder under it. */
async function tryOut(place: string, stateFolder: string): Promise<Holding> {
  const layers = new Layers(stateFolder);
  const ways: readonly Way[] = process.getuid?.() === 0 ? ['root', 'user namespace'] : ['user namespace'];
  let reason = '';
  for (const way of ways) {
    try {
      makePrivateFolder(place);
      const project = join(place, 'trial');
      await mkdir(project, { recursive: true });
      const held = {
        project,
        agent: 'hawser',
        session: undefined,
        command: `rmdir ${project}/sub || exit 3`,
        mounts: [],
      };
      await mkdir(join(project, 'sub'), { recursive: true });
      const layer = await layers.make(place, way, held);
      const failure = await failureOf(layer.text);
      await removeLayer(layer);
      if (failure === undefined) return { kind: 'possible', place, way };
      reason = failure;
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  return impossible(`this system does not let it: ${reason}`);
}

function failureOf(text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', text], { timeout: TRIAL_MS }, (error, _stdout, stderr) => {
      const [line] = stderr.trim().split('\n');
      resolve(error === null ? undefined : line || error.message);
    });
  });
}

function impossible(reason: string): Holding {
  return { kind: 'impossible', reason };
}
