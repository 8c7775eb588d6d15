import type { Environment } from '../command-line/environment.ts';
import type { CallSource } from '../gate.ts';
import { differencesIn } from '../hold/changes.ts';
import { claimLayer, failLayer, type Layer, Layers, processesOf, removeLayer, stateOf } from '../hold/layer.ts';
import { holdingFor } from '../hold/possible.ts';
import { projectAround } from '../hold/project.ts';

type Command = CallSource & { readonly text: string };

export type HeldCommand =
  | { readonly kind: 'held'; readonly text: string }
  | { readonly kind: 'unheld'; readonly reason: string };

/** Makes the layer over which a command runs. `text` is the command that runs it there. */
export async function holdCommand(
  agent: string,
  { session, cwd, text: command }: Command,
  environment: Environment,
): Promise<HeldCommand> {
  const { folder, mounts } = projectAround(cwd);
  const holding = await holdingFor(folder, environment);
  if (holding.kind === 'impossible') return { kind: 'unheld', reason: holding.reason };
  const layers = new Layers(environment.stateFolder);
  await layers.sweep();
  if (layers.haveFailed({ agent, session }))
    return { kind: 'unheld', reason: "the agent's own sandbox does not let it" };
  const { text } = await layers.make(holding.place, holding.way, { project: folder, agent, session, command, mounts });
  return { kind: 'held', text };
}

export interface HeldBefore {
  /** Of commands that have ended, and changed something. They are this process's to review. */
  readonly layers: readonly Layer[];
  /** `failed`: the command that was asked about did not run, because its layer could not be mounted. */
  readonly state: 'running' | 'failed' | undefined;
}

/** What the commands of a conversation left in their layers. */
export async function heldBefore(
  agent: string,
  { session, text }: Command,
  { stateFolder }: Environment,
): Promise<HeldBefore> {
  const found = new Layers(stateFolder).of({ agent, session });
  const isAsked = (layer: Layer) => layer.text === text || layer.command === text;
  const isRunning = found.some((layer) => isAsked(layer) && stateOf(layer) === 'running');
  const failed = found.find((layer) => isAsked(layer) && stateOf(layer) === 'waiting');
  if (failed !== undefined) await failLayer(failed);
  const layers: Layer[] = [];
  for (const layer of found.filter((each) => stateOf(each) === 'ended')) {
    if (!claimLayer(layer)) continue;
    if (await hasChanges(layer)) layers.push(layer);
    else await removeLayer(layer);
  }
  return { layers, state: failed !== undefined ? 'failed' : isRunning ? 'running' : undefined };
}

async function hasChanges(layer: Layer): Promise<boolean> {
  if ((await processesOf(layer)).length > 0) return true;
  const { files, ignored, folders } = await differencesIn(layer);
  return files.length + ignored.length + folders.length > 0;
}
