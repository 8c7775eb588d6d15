/** The servers of all adapters: one bundle, loaded when the first agent connects. */
export { serveClaudeCode } from './claude-code/server.ts';
export { serveCompanion } from './companion/server.ts';
export { serveCopilotCli } from './copilot-cli/server.ts';
export { serveJetbrains } from './jetbrains/server.ts';
export { serveMcp } from './mcp/server.ts';
