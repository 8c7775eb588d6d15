import { resolve } from 'node:path';
import type { EditorFinder, RunningEditor } from '@hawser/client/editor-finder';
import { type Target, TargetProblem, urlTarget } from '@hawser/client/target';
import { realFolders, withParents } from '@hawser/user-files/real-folders';
import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import {
  type DiscoveryFile,
  type DiscoveryPlaces,
  findDiscoveryFiles,
  readDiscoveryFile,
  stateOf,
} from '../discovery/editors.ts';
import type { Environment } from './environment.ts';

/** What decides which editors there are. */
export function discoveryPlaces(environment: Environment): DiscoveryPlaces & { readonly cwd: string } {
  const { cwd, home, stateFolder, temporaryFolder, isWindows, variables } = environment;
  return { cwd, home, stateFolder, temporaryFolder, isWindows, variables, formats: DISCOVERY_FORMATS };
}

/** Finds the editors whose discovery files agents read. Of the ways to connect to one, that with the most tools comes first. */
export function editorFinder(places: DiscoveryPlaces & { readonly cwd: string }): EditorFinder {
  // Those with the most tools first.
  const agents = places.formats.map(({ agent }) => agent);
  return {
    byFile: (path) => {
      const file = readDiscoveryFile(resolve(places.cwd, path), places);
      if (file instanceof Error) throw new TargetProblem(`${path} can't be used: ${file.message}.`);
      return targetIn(file);
    },
    ofFolder: async () => {
      const [folder = places.cwd] = realFolders([places.cwd]);
      const files = await runningOf(findDiscoveryFiles(places, [folder]).files);
      for (const candidate of withParents(folder)) {
        const serving = files.filter((file) => file.folders.includes(candidate));
        for (const agent of agents) {
          const matching = serving.filter((file) => file.agent === agent);
          if (matching.length > 1) throw new TargetProblem(ambiguous(candidate, matching));
          if (matching[0] !== undefined) return targetIn(matching[0]);
        }
      }
      return undefined;
    },
    running: async () => {
      const folders = realFolders([places.cwd]);
      const { files, problems } = findDiscoveryFiles(places, folders);
      const here = folders.flatMap(withParents);
      const running = await runningOf(files);
      const nameOf = (pid: number | undefined) =>
        pid === undefined ? undefined : running.find((file) => file.pid === pid && file.name !== undefined)?.name;
      const editors = running.map(({ name, pid, agent, folders: served, path }) => ({
        // Not every kind of file has the name of the editor.
        name: name ?? nameOf(pid) ?? 'Editor',
        pid,
        agent,
        folders: served,
        path,
        isHere: served.some((folder) => here.includes(folder)),
      }));
      const rank = ({ isHere, agent }: RunningEditor) => (isHere ? 0 : agents.length) + agents.indexOf(agent);
      return {
        editors: editors.sort((one, other) => rank(one) - rank(other)),
        problems: problems.map(({ path, message }) => `${path}: ${message}`),
      };
    },
  };
}

async function runningOf(files: readonly DiscoveryFile[]): Promise<DiscoveryFile[]> {
  const states = await Promise.all(files.map(stateOf));
  return files.filter((_, index) => states[index]?.kind === 'alive');
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
