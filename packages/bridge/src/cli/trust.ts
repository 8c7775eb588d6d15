import type { CommandSyntax } from '@hawser/command-line/command';
import { escaped } from '@hawser/terminal-text/wrapping';
import { withParents } from '@hawser/user-files/real-folders';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import { findBridges } from '../control/find.ts';
import { TrustedFolders } from '../serving/trusted-folders.ts';

export interface TrustFlags {
  readonly workspace: string;
  readonly forget?: true;
  readonly list?: true;
}

export const trustCommand: CommandSyntax = {
  name: 'trust',
  description: 'let language servers that are part of a folder run',
  options: [
    { name: 'workspace', short: 'w', value: 'dir', description: 'the folder, and all below it', default: '.' },
    { name: 'forget', description: 'trust it no longer' },
    { name: 'list', description: 'list the folders that you trust' },
  ],
  notes: `A project can have any program in node_modules/.bin or .venv/bin, and it runs with your rights. Until you trust the
folder, only language servers on your PATH run in it.`,
};

/** `hawser trust`: whose language servers may run. */
export async function trust({ workspace, forget, list }: TrustFlags, environment: Environment): Promise<void> {
  const say = (line: string) => environment.stdout(escaped(line));
  const folders = new TrustedFolders(environment.stateFolder);
  if (list === true) {
    const trusted = folders.list();
    for (const each of trusted) say(each);
    if (trusted.length === 0) say('You trust no folder yet; hawser trust in one does.');
    return;
  }
  const folder = workspaceFolder(workspace, environment);
  if (forget === true) folders.remove(folder);
  else folders.add(folder);
  const around = withParents(folder).find((each) => folders.list().includes(each));
  if (forget !== true)
    say(`hawser: trusted: ${folder}. Language servers that are part of it run when an agent needs them.`);
  else if (around === undefined) say(`hawser: no longer trusted: ${folder}`);
  else say(`hawser: still trusted, because it is in ${around}: hawser trust --forget -w ${around}`);
  // Each that runs looks for programs again, because finding it asks for its status.
  const { bridges } = await findBridges(environment);
  for (const { client } of bridges) await client.close();
}
