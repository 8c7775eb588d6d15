/** An agent that can be started in a terminal, by the names of `hawser run` and `--agents`. */
export interface AgentKind {
  readonly name: string;
  readonly title: string;
  readonly command: string;
  /** The extension of its vendor, which serves it, too. */
  readonly extension?: string;
}

export const AGENTS: readonly AgentKind[] = [
  { name: 'claude-code', title: 'Claude Code', command: 'claude', extension: 'anthropic.claude-code' },
  { name: 'codex', title: 'Codex', command: 'codex' },
  { name: 'copilot-cli', title: 'Copilot CLI', command: 'copilot', extension: 'github.copilot-chat' },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    command: 'gemini',
    extension: 'google.gemini-cli-vscode-ide-companion',
  },
  { name: 'opencode', title: 'opencode', command: 'opencode' },
  { name: 'qwen-code', title: 'Qwen Code', command: 'qwen', extension: 'qwenlm.qwen-code-vscode-ide-companion' },
];

/** What a bridge serves by default, by the names of `--agents`. opencode connects as Claude Code does. */
export const SERVED: readonly string[] = ['claude-code', 'codex', 'copilot-cli', 'gemini-cli', 'mcp', 'qwen-code'];

/** Those that the extension of their vendor serves, unless the user has chosen which agents Hawser serves. */
export function leftToVendors(
  isInstalled: (extension: string) => boolean,
  chosen: readonly string[] | null,
): readonly AgentKind[] {
  if (chosen !== null) return [];
  return AGENTS.filter(({ extension }) => extension !== undefined && isInstalled(extension));
}
