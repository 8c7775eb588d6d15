import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { copilotCli } from './agents/copilot-cli.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import { LINES } from './lines.ts';
import type { RealAgent } from './real-agent.ts';
import type { Turn } from './turn.ts';

/** What is checked of every gate in every mode, and the heads of the columns. */
export const GATE_CHECKS = {
  accepted: 'accepted',
  inPart: 'in part',
  newFile: 'new file',
  asked: 'asked for changes',
  rejected: 'rejected',
  undecided: 'undecided at the limit',
  killed: 'bridge killed',
  interrupted: 'agent interrupted',
} as const;
export type GateCheck = keyof typeof GATE_CHECKS;

export interface GatedAgent {
  readonly agent: RealAgent;
  /** Arguments by mode; the prompt follows. */
  readonly modes: Readonly<Record<string, readonly string[]>>;
  /** A mode in which it changes files only with a terminal, and what it can't do there. */
  readonly inTerminal?: { readonly mode: string; readonly limits: { readonly [C in GateCheck]?: string } };
  readonly env: Readonly<Record<string, string>>;
  /** The turns by which its model changes the second and the eleventh line. */
  readonly edit: (path: string) => readonly Turn[];
  /** The same for a new file. */
  readonly write: (path: string, text: string) => readonly Turn[];
}

export const CHANGED = LINES.with(1, 'TWO').with(10, 'ELEVEN');
export const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;
export const END = 'That was all.';
export const PROMPT = 'please go on';

/** One that Codex knows: others get no tool for patches. */
const CODEX_MODEL = ['--model', 'gpt-5.5'];

/** The lines from the first to the last that change. */
const FROM = LINES.slice(1, 11).join('\n');
const TO = CHANGED.slice(1, 11).join('\n');

/** The turns of a model whose tool takes patches. */
const patches: Pick<GatedAgent, 'edit' | 'write'> = {
  edit: () => [
    {
      use: 'apply_patch',
      input:
        '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n@@\n ten\n-eleven\n+ELEVEN\n twelve\n*** End Patch\n',
    },
  ],
  write: (_path, text) => {
    const lines = text.trimEnd().split('\n');
    const added = lines.map((line) => `+${line}\n`).join('');
    return [{ use: 'apply_patch', input: `*** Begin Patch\n*** Add File: n.txt\n${added}*** End Patch\n` }];
  },
};

export const gated: readonly GatedAgent[] = [
  {
    agent: claudeCode,
    modes: {
      default: ['--permission-mode', 'default', '-p'],
      bypassPermissions: ['--permission-mode', 'bypassPermissions', '-p'],
    },
    // It refuses to bypass permissions as root elsewhere.
    env: { IS_SANDBOX: '1' },
    edit: (file_path) => [
      { use: 'Read', input: { file_path } },
      {
        use: 'Edit',
        input: { file_path, old_string: FROM, new_string: TO },
      },
    ],
    write: (file_path, content) => [{ use: 'Write', input: { file_path, content } }],
  },
  {
    agent: codex,
    modes: {
      'workspace-write': ['exec', ...CODEX_MODEL, '--dangerously-bypass-hook-trust', '--sandbox', 'workspace-write'],
      'full access': [
        'exec',
        ...CODEX_MODEL,
        '--dangerously-bypass-hook-trust',
        '--dangerously-bypass-approvals-and-sandbox',
      ],
    },
    env: {},
    ...patches,
  },
  {
    agent: geminiCli,
    // In its default mode it has no tools that change files when it runs without a terminal.
    inTerminal: { mode: 'default', limits: {} },
    modes: { 'auto-edit': ['--approval-mode', 'auto_edit', '-p'], yolo: ['--yolo', '-p'] },
    env: {},
    edit: (file_path) => [
      {
        use: 'replace',
        input: { file_path, instruction: 'In capitals.', old_string: FROM, new_string: TO },
      },
    ],
    write: (file_path, content) => [{ use: 'write_file', input: { file_path, content } }],
  },
  {
    agent: copilotCli,
    modes: { default: ['-p'], '--allow-all': ['--allow-all', '-p'] },
    env: {},
    edit: (path) => [{ use: 'edit', input: { path, old_str: FROM, new_str: TO } }],
    write: (path, file_text) => [{ use: 'create', input: { path, file_text } }],
  },
  {
    agent: copilotCli,
    modes: { '--allow-all, with patches': ['--allow-all', '-p'] },
    env: { COPILOT_MODEL: 'gpt-5.5' },
    ...patches,
  },
  {
    agent: opencode,
    // Edits are allowed by default.
    modes: { default: ['run'], '--auto': ['run', '--auto'] },
    env: {},
    edit: (filePath) => [
      { use: 'read', input: { filePath } },
      { use: 'edit', input: { filePath, oldString: FROM, newString: TO } },
    ],
    write: (filePath, content) => [{ use: 'write', input: { filePath, content } }],
  },
  {
    agent: qwenCode,
    // In its default mode it asks in the editor itself, and the gate says nothing.
    inTerminal: {
      mode: 'default',
      limits: {
        asked: 'its own question has no room for words',
        undecided: 'its own question has no limit',
      },
    },
    modes: { 'auto-edit': ['--approval-mode', 'auto-edit', '-p'], yolo: ['--yolo', '-p'] },
    env: {},
    edit: (file_path) => [
      { use: 'read_file', input: { file_path } },
      { use: 'edit', input: { file_path, old_string: FROM, new_string: TO } },
    ],
    write: (file_path, content) => [{ use: 'write_file', input: { file_path, content } }],
  },
];
