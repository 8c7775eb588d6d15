/** The agents that a bridge can be opened to, as used in `--agents`. */
export const AGENTS = ['claude-code', 'jetbrains'] as const;
export type AgentName = (typeof AGENTS)[number];
