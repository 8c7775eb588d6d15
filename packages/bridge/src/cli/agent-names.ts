/** The adapters of this package, as used in `--agents`. */
export const AGENTS = ['claude-code', 'codex', 'copilot-cli', 'gemini-cli', 'jetbrains', 'mcp', 'qwen-code'] as const;
export type AgentName = (typeof AGENTS)[number];

/** `jetbrains` writes its lock file into the user's project, so it has to be asked for. */
const OPENED_ON_REQUEST: readonly AgentName[] = ['jetbrains'];

/** The adapters that are open unless the user chooses others. */
export const DEFAULT_AGENTS = AGENTS.filter((name) => !OPENED_ON_REQUEST.includes(name));
