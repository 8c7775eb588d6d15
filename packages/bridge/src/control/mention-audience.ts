import type { AgentClient, OpenAdapter } from '../agent.ts';

export interface MentionAudience {
  /** Agents that get a mention now. */
  readonly recipients: readonly AgentClient[];
  /** Names of adapters with connected agents that can't get one. */
  readonly others: readonly string[];
}

/** Which of the connected agents a mention reaches. */
export function mentionAudience(adapters: readonly OpenAdapter[]): MentionAudience {
  const ready = (adapter: OpenAdapter) => adapter.clients().filter(({ state }) => state === 'ready');
  return {
    recipients: adapters.filter(({ takesMentions }) => takesMentions === true).flatMap(ready),
    others: adapters.filter((each) => each.takesMentions !== true && ready(each).length > 0).map(({ name }) => name),
  };
}
