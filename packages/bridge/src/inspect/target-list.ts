import { listServers } from '../client/server-target.ts';
import { describeTarget, TargetProblem } from '../client/target.ts';
import type { TargetPlaces } from '../client/target-places.ts';
import { findDiscoveryFiles, stateOf } from '../discovery/editors.ts';
import { realFolders, withParents } from '../discovery/real-folders.ts';
import type { EditorChoice, ServerChoice, TargetList } from './calls.ts';

/** The running editors, those of this folder first, and the servers of configuration files. */
export async function listTargets(places: TargetPlaces): Promise<TargetList> {
  const { editors, problems } = await runningEditors(places);
  const configured = listServers(places);
  const servers = configured.servers.map(({ name, config, target }): ServerChoice => {
    const isUsable = !(target instanceof TargetProblem);
    return {
      name,
      config,
      description: isUsable ? describeTarget(target) : undefined,
      problem: isUsable ? undefined : target.message,
    };
  });
  return { editors, servers, problems: [...problems, ...configured.problems] };
}

async function runningEditors(places: TargetPlaces): Promise<{ editors: EditorChoice[]; problems: string[] }> {
  const folders = realFolders([places.cwd]);
  const { files, problems } = findDiscoveryFiles(places, folders);
  const states = await Promise.all(files.map(stateOf));
  const here = folders.flatMap(withParents);
  const running = files.filter((_, index) => states[index]?.kind === 'alive');
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
  // Those with the most tools first.
  const agents = places.formats.map(({ agent }) => agent);
  const rank = ({ isHere, agent }: EditorChoice) => (isHere ? 0 : agents.length) + agents.indexOf(agent);
  return {
    editors: editors.sort((one, other) => rank(one) - rank(other)),
    problems: problems.map(({ path, message }) => `${path}: ${message}`),
  };
}
