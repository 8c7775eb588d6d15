import { messageOf } from '@hawser/unknown-values/thrown';
import type { PathRefused } from '../../access/paths.ts';
import type { GatedBridge } from '../../gate.ts';
import { differencesIn } from '../../hold/changes.ts';
import { pass, passFolder } from '../../hold/entries.ts';
import { type HeldChange, heldChanges } from '../../hold/held-changes.ts';
import { adoptLayer, endProcesses, type Layer, removeLayer } from '../../hold/layer.ts';
import type { Outcome } from '../../review/proposal.ts';
import { acceptanceInWords, refusalInWords } from '../outcome-in-words.ts';

const MAX_TITLE = 60;

/**
 * Proposes what a command has changed in its layer, and applies what the user keeps. Resolves to what the model is told, which
 * is empty if nothing was changed. Removes the layer.
 */
export async function reviewHeld(bridge: GatedBridge, layer: Layer, proposer: Proposer): Promise<string> {
  adoptLayer(layer);
  try {
    return await reviewed(bridge, layer, proposer);
  } finally {
    await removeLayer(layer);
  }
}

interface Proposer {
  readonly agent: string;
  readonly owner: object;
  readonly signal: AbortSignal;
}

async function reviewed(
  { editor, reviews }: GatedBridge,
  layer: Layer,
  { agent, owner, signal }: Proposer,
): Promise<string> {
  const ended = await endProcesses(layer);
  const differences = await differencesIn(layer);
  const isShared = (path: string) => editor.resolve(path, { for: 'diff' }).then(() => true, unlessPaused);
  const held = await heldChanges(layer, differences, isShared);
  const problems: string[] = [];
  const tryTo = (act: Promise<void>) => act.catch((error: unknown) => problems.push(messageOf(error)));
  for (const each of differences.ignored) await tryTo(pass(layer, each));
  for (const each of differences.folders) if (each.after !== undefined) await tryTo(passFolder(layer, each));
  const outcomes = held.length === 0 ? [] : await propose();
  for (const each of differences.folders) if (each.after === undefined) await tryTo(passFolder(layer, each));
  const left = `${ended} ${ended === 1 ? 'process' : 'processes'} that the command left running ended with it: run servers in the background, where nothing is held.`;
  return [...inWords(held, outcomes), ...(ended === 0 ? [] : [left]), ...problems].join('\n');

  async function propose(): Promise<readonly Outcome[]> {
    const changes = held.map(({ change }) => ({ ...change, agent }));
    const entries = new Map(held.flatMap(({ entry }, index) => (entry === undefined ? [] : [[index, entry] as const])));
    const options = { owner, signal, writer: 'bridge', entries } as const;
    const [only] = changes;
    if (changes.length === 1 && only !== undefined) return [await reviews.propose(only, options)];
    return await reviews.proposeSet(changes, { ...options, title: titleOf(layer) });
  }
}

function titleOf({ command }: Layer): string {
  const [line = ''] = command.trim().split('\n');
  return `Changed by ${line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line}`;
}

function unlessPaused(error: Partial<Pick<PathRefused, 'code'>>): false {
  if (error.code === 'paused') throw error;
  return false;
}

/** What the model is told. */
function inWords(held: readonly HeldChange[], outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return [];
  const kept: string[] = [];
  const others: string[] = [];
  const said: string[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const name = held[index]?.name ?? '';
    if (outcome.kind === 'accepted') {
      kept.push(name);
      const words = acceptanceInWords(outcome);
      if (words !== '') said.push(`${name}: ${words}`);
    } else {
      others.push(name);
      if (outcome.kind === 'withdrawn' || outcome.notes.length > 0) said.push(refusalInWords(outcome, name));
    }
  }
  const all = 'The user reviewed what this command changed in the project.';
  if (others.length === 0) return [`${all} Kept: ${kept.join(', ')}.`, ...said];
  const back = `Not kept, and as before the command: ${others.join(', ')}.`;
  return [`${all} ${kept.length === 0 ? 'Nothing was kept' : `Kept: ${kept.join(', ')}`}. ${back}`, ...said];
}
