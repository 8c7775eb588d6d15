// Every agent that Hawser knows, a line each.
export { claudeCode } from './claude-code/agent.ts';
export { codex } from './codex/agent.ts';
export { copilotCli } from './copilot-cli/agent.ts';
export { cursor } from './cursor/agent.ts';
export { geminiCli } from './gemini-cli/agent.ts';
export { jetbrains } from './jetbrains/agent.ts';
export { mcp } from './mcp/agent.ts';
export { opencode } from './opencode/agent.ts';
export { qwenCode } from './qwen-code/agent.ts';
export { vscode } from './vscode/agent.ts';
export { zed } from './zed/agent.ts';
