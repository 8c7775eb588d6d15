import { basename, resolve } from 'node:path';
import { realPath } from '../access/paths.ts';
import type { Environment } from '../command-line/environment.ts';
import type { GateCall, HookPlaces } from '../gate.ts';
import { rulesPath } from '../review/rules/rules-file.ts';
import { gatedAgents } from './gates.ts';

/** The file of a gate that a call would change, by its path, or that a command names; undefined if there is none. */
export async function guardedFile(
  call: Extract<GateCall, { readonly kind: 'edits' | 'command' }>,
  workspace: string,
  environment: Pick<Environment, 'home' | 'variables'>,
): Promise<string | undefined> {
  const files = await guardedFiles({ ...environment, workspace });
  // A command can hide what it changes; this is for one that does not.
  if (call.kind === 'command') return files.find((file) => call.text.includes(file) || namesIn(call.text, file));
  const named = call.edits.flatMap(({ path, movedFrom }) => [path, ...(movedFrom === undefined ? [] : [movedFrom])]);
  const changed = await Promise.all(named.map((path) => realPath(resolve(call.cwd, path))));
  const real = await Promise.all(files.map((file) => realPath(file)));
  return files.find((_, index) => changed.includes(real[index] ?? ''));
}

/** As in `.claude/settings.json`. */
function namesIn(text: string, file: string): boolean {
  const [folder = '', name = ''] = file.split(/[\\/]/).slice(-2);
  return text.includes(`${folder}/${name}`) || (basename(file).includes('hawser') && text.includes(basename(file)));
}

/** Where the hooks of all agents are, in the project and for the user, what trusts them, and the user's rules. */
async function guardedFiles(places: HookPlaces): Promise<readonly string[]> {
  const settings = await Promise.all(gatedAgents().map(async (agent) => (await agent.gate()).hook));
  const hooks = settings.flatMap(({ path, trust }) =>
    (['project', 'user'] as const).flatMap((scope) => {
      const file = path(scope, places);
      return trust === undefined ? [file] : [file, trust.noted(file, places).path];
    }),
  );
  return [...new Set([...hooks, rulesPath(places)])];
}
