import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { copilotCli } from './agents/copilot-cli.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import type { RealAgent } from './real-agent.ts';

/** Every agent that is tested as its users run it, in the order of the table. */
export const realAgents: readonly RealAgent[] = [claudeCode, opencode, geminiCli, qwenCode, copilotCli, codex];

const named = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');
const known = realAgents.map(({ name }) => name);
const unknown = named.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`Unknown agent: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);

/** Whether it is to be tested: all are, unless some are named. */
export function isWanted({ name }: RealAgent): boolean {
  return named.length === 0 || named.includes(name);
}
