import { join } from 'node:path';
import { COPILOT_CLI } from '@hawser/client/program-files';
import { type Gate, HOOK_SECONDS } from '../../gate.ts';
import { type FileTools, readCall, wholeArguments } from '../gate-parts/file-tools.ts';
import { afterShell, hookAnswer, hookHolding, hookInput, hookRefusal, ranCall } from '../gate-parts/hook-input.ts';
import { patchCall, wholePatch } from '../gate-parts/patch.ts';

/** The names of the tools are those of Claude Code in this form of its hooks; the arguments are its own. */
const TOOLS: FileTools = {
  edit: { tool: 'Edit', path: 'path', from: 'old_str', to: 'new_str' },
  write: { tool: 'Write', path: 'path', content: 'file_text' },
  shell: { tool: 'Bash', command: 'command', background: ['mode', 'async'] },
};

/** Copilot CLI runs the hook in every mode and asks nothing itself after an answer. */
export const gate: Gate = {
  read(given) {
    const patch = patchIn(given);
    if (patch === undefined) return ranCall(hookInput(given), TOOLS.shell) ?? readCall(TOOLS, hookInput(given));
    const { session, cwd } = hookInput({ ...(given as object), tool_input: {} });
    return patchCall({ session, cwd }, patch);
  },

  answer: (given, verdict) =>
    hookAnswer(verdict, (files) =>
      patchIn(given) === undefined ? wholeArguments(TOOLS, hookInput(given), files[0]) : wholePatch(files),
    ),

  refuse: hookRefusal,

  holding: {
    ...hookHolding(TOOLS.shell),
    // After a call it reads its own form only.
    tell: (_given, additionalContext) => ({ stdout: JSON.stringify({ additionalContext }), exitCode: 0 }),
  },

  hook: {
    path: (scope, places) =>
      scope === 'project'
        ? join(places.workspace, '.github', 'hooks', 'hawser.json')
        : join(COPILOT_CLI.folder(places), 'hooks', 'hawser.json'),
    content: [
      {
        at: ['hooks', 'PreToolUse'],
        value: (command, { shell }) => ({
          matcher: shell === 'allow' ? 'Edit|Write' : 'Edit|Write|Bash',
          hooks: [{ type: 'command', command, timeout: HOOK_SECONDS }],
        }),
      },
      afterShell('PostToolUse'),
      afterShell('PostToolUseFailure'),
    ],
  },
};

/** Some models have a tool for patches in place of the others; its input is the patch itself. */
function patchIn(given: unknown): string | undefined {
  const { tool_input: patch } = (given ?? {}) as { readonly tool_input?: unknown };
  return typeof patch === 'string' ? patch : undefined;
}
