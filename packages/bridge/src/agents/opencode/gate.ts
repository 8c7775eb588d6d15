import { join } from 'node:path';
import type { Gate } from '../../gate.ts';
import { type FileTools, readCall, wholeArguments } from '../gate-parts/file-tools.ts';
import { hookAnswer, hookHolding, hookInput, hookRefusal, ranCall, textIn } from '../gate-parts/hook-input.ts';
import { patchCall, wholePatch } from '../gate-parts/patch.ts';
import { pluginText } from './plugin.ts';

const TOOLS: FileTools = {
  edit: { tool: 'edit', path: 'filePath', from: 'oldString', to: 'newString', all: 'replaceAll' },
  write: { tool: 'write', path: 'filePath', content: 'content' },
  shell: { tool: 'bash', command: 'command' },
};
/** Some models get this tool instead of edit and write. */
const PATCH = { tool: 'apply_patch', text: 'patchText' };

/** opencode has no hooks but plugins: ours runs the hook as other agents do. */
export const gate: Gate = {
  read(given) {
    const input = hookInput(given);
    const ran = ranCall(input, TOOLS.shell);
    if (ran !== undefined) return ran;
    return input.tool === PATCH.tool ? patchCall(input, textIn(input.args, PATCH.text)) : readCall(TOOLS, input);
  },

  answer: (given, verdict) =>
    hookAnswer(verdict, (files) => {
      const input = hookInput(given);
      return input.tool === PATCH.tool ? { [PATCH.text]: wholePatch(files) } : wholeArguments(TOOLS, input, files[0]);
    }),

  refuse: hookRefusal,

  holding: hookHolding(TOOLS.shell, { permissionDecision: 'allow' }),

  hook: {
    path: (scope, { home, workspace, variables }) =>
      scope === 'project'
        ? join(workspace, '.opencode', 'plugin', 'hawser.js')
        : join(variables.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'plugin', 'hawser.js'),
    content: {
      text: (words, { shell }) =>
        pluginText(
          words,
          [TOOLS.edit.tool, TOOLS.write.tool, PATCH.tool, ...(shell === 'allow' ? [] : [TOOLS.shell.tool])],
          shell === 'hold' ? [TOOLS.shell.tool] : [],
        ),
    },
  },
};
