import { type Stats, statSync } from 'node:fs';
import { loginFolder } from '@hawser/client/login/login-names';
import { systemReason } from '@hawser/user-files/private-file';
import { realFolders } from '@hawser/user-files/real-folders';
import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import { discoveryPlaces } from '../command-line/editor-finder.ts';
import type { Environment } from '../command-line/environment.ts';
import { controlFolder } from '../control/place.ts';
import { findDiscoveryFiles, stateOf } from '../discovery/editors.ts';
import type { Finding } from './finding.ts';

/** The folders in which agents look for editors, and those of Hawser itself. */
export function folderFindings(environment: Environment): Finding[] {
  const { stateFolder, isWindows } = environment;
  const projects = realFolders([environment.cwd]);
  const discovery = DISCOVERY_FORMATS.flatMap(({ agent, folders }) =>
    folders(environment, projects).map((path) => ({ agent, path })),
  );
  const own = [
    { agent: 'state', path: stateFolder },
    { agent: 'control', path: controlFolder(environment) },
    { agent: 'logins', path: loginFolder(stateFolder) },
  ];
  return [...own, ...discovery].flatMap(({ agent, path }) => {
    const finding = { id: `folder-${agent}`, title: `${agent} folder` };
    const found = look(path);
    if (found === undefined) return [];
    if (found instanceof Error) {
      const detail = `${path} can't be looked at: ${systemReason(found)}`;
      return { ...finding, status: 'problem', detail, advice: `Make the folders above ${path} accessible` };
    }
    const user = process.getuid?.();
    if (!found.isDirectory()) {
      return { ...finding, status: 'problem', detail: `${path} is not a folder`, advice: `Move it away: ${path}` };
    }
    if (user !== undefined && found.uid !== user) {
      const detail = `${path} belongs to another user, who can take the tokens in it`;
      return {
        ...finding,
        status: 'problem',
        detail,
        advice: `Remove ${path}, or make it yours: sudo chown -R "$USER"`,
      };
    }
    const isShared = !isWindows && (found.mode & 0o022) !== 0;
    const isReadable = !isWindows && (found.mode & 0o055) !== 0;
    const advice = `chmod 700 ${path}`;
    if (isShared) return { ...finding, status: 'problem', detail: `${path}: other users can write to it`, advice };
    // Files in it are private; only their names, which are ports, can be read.
    if (isReadable) return { ...finding, status: 'ok', detail: `${path}: other users can see its file names` };
    return { ...finding, status: 'ok', detail: path };
  });
}

/** Undefined if there is nothing. */
function look(path: string): Stats | Error | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as Error;
  }
}

/** Files of editors that have ended, and files that can't be read. */
export async function discoveryFindings(environment: Environment): Promise<Finding[]> {
  const { files, problems } = findDiscoveryFiles(discoveryPlaces(environment), realFolders([environment.cwd]));
  const states = await Promise.all(files.map(stateOf));
  const stale = files.filter((_, index) => states[index]?.kind === 'stale');
  const alive = files.length - stale.length;
  const paths = stale.slice(0, 3).map(({ path }) => path);
  const more = stale.length > paths.length ? `, and ${stale.length - paths.length} more` : '';
  const [id, title] = ['discovery-files', 'Discovery files'];
  const finding: Finding =
    stale.length === 0
      ? { id, title, status: 'ok', detail: `${alive} of running editors, none stale` }
      : {
          id,
          title,
          status: 'warning',
          detail: `${stale.length} stale: ${paths.join(', ')}${more}`,
          advice: 'hawser editors says why each is stale; hawser editors --sweep removes them.',
        };
  const unreadable = problems.map(
    ({ path, message }): Finding => ({
      id: 'discovery-file-unreadable',
      title: 'Discovery file',
      status: 'warning',
      detail: `${path}: ${message}`,
      advice: 'Remove it, unless a program that you use wrote it.',
    }),
  );
  return [finding, ...unreadable];
}
