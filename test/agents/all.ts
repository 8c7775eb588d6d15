import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { copilotCli } from './agents/copilot-cli.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import type { RealAgent } from './real-agent.ts';

/** Every agent that is tested as its users run it, in the order of the table. */
export const realAgents: readonly RealAgent[] = [claudeCode, opencode, geminiCli, qwenCode, copilotCli, codex];
