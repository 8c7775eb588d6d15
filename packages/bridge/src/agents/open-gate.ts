import type { AnswerHook, GatedBridge } from '../gate.ts';
import { AGENTS } from './agents.ts';
import type { Gating } from './gate-parts/gating.ts';

/** The gate of a bridge. Its code is loaded by the first hook. */
export function openGate(bridge: GatedBridge): AnswerHook {
  let gating: Promise<Gating> | undefined;
  return async (name, input, signal, about) => {
    const agent = AGENTS.find((each) => each.name === name);
    if (agent?.gate === undefined) throw new Error(`Hawser has no gate for ${name}`);
    gating ??= import('./gate-parts/gating.ts').then(({ Gating }) => new Gating(bridge));
    return await (await gating).decide(agent, await agent.gate(), input, signal, about);
  };
}
