import { join } from 'node:path';
import { QWEN_CODE } from '@hawser/client/program-files';
import type { Gate } from '../../gate.ts';
import { type FileTools, readCall, wholeArguments } from '../gate-parts/file-tools.ts';
import { hookAnswer, hookInput, hookRefusal } from '../gate-parts/hook-input.ts';

const TOOLS: FileTools = {
  edit: { tool: 'edit', path: 'file_path', from: 'old_string', to: 'new_string', all: 'replace_all' },
  write: { tool: 'write_file', path: 'file_path', content: 'content' },
  shell: { tool: 'run_shell_command', command: 'command' },
};
/** In these it asks its user itself, in the editor, or changes nothing. */
const ASKING_MODES = ['default', 'plan'];
/** It runs the tool when the hook has run this long, whatever its settings say. */
const CAP_SECONDS = 60;

export const gate: Gate = {
  read(given) {
    const input = hookInput(given);
    return ASKING_MODES.includes(input.mode ?? '') ? { kind: 'ignored' } : readCall(TOOLS, input);
  },

  // It writes what it asked for; the rewritten input says the same, for versions that heed it.
  answer: (given, verdict) => hookAnswer(verdict, ([file]) => wholeArguments(TOOLS, hookInput(given), file)),

  refuse: hookRefusal,

  hook: {
    path: (scope, places) =>
      scope === 'project' ? join(places.workspace, QWEN_CODE.projectFile) : QWEN_CODE.userFile(places),
    offSwitch: { at: ['disableAllHooks'], value: true },
    content: [
      {
        at: ['hooks', 'PreToolUse'],
        value: (command, { shell }) => ({
          matcher: shell === 'allow' ? 'edit|write_file' : 'edit|write_file|run_shell_command',
          hooks: [{ type: 'command', command, timeout: CAP_SECONDS }],
        }),
      },
    ],
  },

  slices: {
    seconds: CAP_SECONDS - 15,
    key: (given) => {
      const { tool, args } = hookInput(given);
      return JSON.stringify([tool, args]);
    },
  },
  ignoresRewriting: true,
};
