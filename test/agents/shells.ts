import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { copilotCli } from './agents/copilot-cli.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import type { RealAgent } from './real-agent.ts';
import type { Turn } from './turn.ts';

/** What is checked of the shell commands of every agent in every mode, and the heads of the columns. */
export const SHELL_CHECKS = { shown: 'shell: shown', held: 'shell: held', after: 'reviewed after the turn' } as const;
export type ShellCheck = keyof typeof SHELL_CHECKS;

export interface ShellAgent {
  readonly agent: RealAgent;
  /** Arguments by mode; the prompt follows. `unheld`: why commands can't be held in it, and are shown. */
  readonly modes: Readonly<Record<string, { readonly args: readonly string[]; readonly unheld?: RegExp }>>;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: (command: string) => Turn;
  /** Its gate tells the bridge of each prompt. */
  readonly tellsPrompts?: true;
}

const CODEX = ['exec', '--model', 'gpt-5.5', '--dangerously-bypass-hook-trust'];
export const shells: readonly ShellAgent[] = [
  {
    agent: claudeCode,
    tellsPrompts: true,
    modes: {
      // It asks about commands itself then, so one is allowed that does not depend on what it is.
      default: { args: ['--permission-mode', 'default', '--allowedTools', 'Bash', '-p'] },
      bypassPermissions: { args: ['--permission-mode', 'bypassPermissions', '-p'] },
    },
    env: { IS_SANDBOX: '1' },
    shell: (command) => ({ use: 'Bash', input: { command, description: 'A change' } }),
  },
  {
    agent: codex,
    tellsPrompts: true,
    modes: {
      'workspace-write': { args: [...CODEX, '--sandbox', 'workspace-write'], unheld: /own sandbox/ },
      'full access': { args: [...CODEX, '--dangerously-bypass-approvals-and-sandbox'] },
    },
    env: {},
    shell: (cmd) => ({ use: 'exec_command', input: { cmd } }),
  },
  {
    agent: geminiCli,
    tellsPrompts: true,
    modes: {
      'auto-edit': { args: ['--approval-mode', 'auto_edit', '--allowed-tools', 'run_shell_command', '-p'] },
      yolo: { args: ['--yolo', '-p'] },
    },
    env: {},
    shell: (command) => ({ use: 'run_shell_command', input: { command, description: 'A change' } }),
  },
  {
    agent: copilotCli,
    modes: { default: { args: ['--allow-tool', 'shell', '-p'] }, '--allow-all': { args: ['--allow-all', '-p'] } },
    env: {},
    shell: (command) => ({ use: 'bash', input: { command, description: 'A change' } }),
  },
  {
    agent: opencode,
    modes: { default: { args: ['run'] }, '--auto': { args: ['run', '--auto'] } },
    env: {},
    shell: (command) => ({ use: 'bash', input: { command, description: 'A change' } }),
  },
  {
    agent: qwenCode,
    // It runs that hook in the middle of a turn, too.
    modes: { yolo: { args: ['--yolo', '-p'], unheld: /hook can't put/ } },
    env: {},
    shell: (command) => ({
      use: 'run_shell_command',
      input: { command, description: 'A change', is_background: false },
    }),
  },
];
