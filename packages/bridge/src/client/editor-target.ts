import { resolve } from 'node:path';
import { type DiscoveryFile, findDiscoveryFiles, readDiscoveryFile, stateOf } from '../discovery/editors.ts';
import { realFolders, withParents } from '../discovery/real-folders.ts';
import { type Target, TargetProblem, urlTarget } from './target.ts';
import type { TargetPlaces } from './target-places.ts';

/** The editor that wrote a discovery file. Throws a TargetProblem if the file says nothing of use. */
export function lockTarget(path: string, places: TargetPlaces): Target {
  const file = readDiscoveryFile(resolve(places.cwd, path), places);
  if (file instanceof Error) throw new TargetProblem(`${path} can't be used: ${file.message}.`);
  return targetIn(file);
}

/**
 * The running editor whose workspace is this folder, or the nearest above it. Of the ways to connect to it the one with
 * the most tools is used. Undefined if there is none; throws a TargetProblem if there are several.
 */
export async function editorTarget(places: TargetPlaces): Promise<Target | undefined> {
  const [folder = places.cwd] = realFolders([places.cwd]);
  const { files } = findDiscoveryFiles(places, [folder]);
  for (const candidate of withParents(folder)) {
    const running = await runningIn(candidate, files);
    for (const { agent } of places.formats) {
      const matching = running.filter((file) => file.agent === agent);
      if (matching.length > 1) throw new TargetProblem(ambiguous(candidate, matching));
      if (matching[0] !== undefined) return targetIn(matching[0]);
    }
  }
  return undefined;
}

async function runningIn(folder: string, files: readonly DiscoveryFile[]): Promise<DiscoveryFile[]> {
  const serving = files.filter((file) => file.folders.includes(folder));
  const states = await Promise.all(serving.map(stateOf));
  return serving.filter((_, index) => states[index]?.kind === 'alive');
}

function targetIn({ endpoint: { url, headers, socketPath } }: DiscoveryFile): Target {
  return socketPath === undefined ? urlTarget(url, headers) : { kind: 'http', url, headers, socketPath };
}

function ambiguous(folder: string, files: readonly DiscoveryFile[]): string {
  const each = files.map(
    ({ name, pid, path }) => `\n  ${name ?? 'editor'}, process ${pid ?? 'unknown'}: --lock ${path}`,
  );
  return `${files.length} editors serve ${folder}. Choose one:${each.join('')}`;
}
