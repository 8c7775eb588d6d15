/** The adapters of this package, as used in `--agents`. */
export const AGENTS = ['claude-code', 'jetbrains', 'copilot-cli', 'gemini-cli', 'qwen-code'] as const;
export type AgentName = (typeof AGENTS)[number];
