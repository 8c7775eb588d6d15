import { claudeCode } from './agents/claude-code.ts';
import { opencode } from './agents/opencode.ts';
import type { RealAgent } from './real-agent.ts';

/** Every agent that is tested as its users run it, in the order of the table. */
export const realAgents: readonly RealAgent[] = [claudeCode, opencode];
