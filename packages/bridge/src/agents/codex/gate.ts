import { join } from 'node:path';
import { type Gate, HOOK_SECONDS } from '../../gate.ts';
import { hookAnswer, hookInput, hookRefusal, textIn } from '../hook-input.ts';
import { patchCall, wholePatch } from '../patch.ts';

/** Codex runs the hook in every mode, once the user has trusted it. Its tool takes a patch of several files. */
export const gate: Gate = {
  read(input) {
    const { tool, args, session, cwd } = hookInput(input);
    const source = { session, cwd };
    switch (tool) {
      case 'apply_patch':
        return patchCall(source, textIn(args, 'command'));
      case 'Bash':
        return { ...source, kind: 'command', title: 'Shell command', text: textIn(args, 'command') };
      default:
        return { kind: 'ignored' };
    }
  },

  answer: (_given, verdict) => hookAnswer(verdict, (files) => ({ command: wholePatch(files) })),

  refuse: hookRefusal,

  hook: {
    path: (scope, { home, workspace, variables }) =>
      scope === 'project'
        ? join(workspace, '.codex', 'hooks.json')
        : join(variables.CODEX_HOME || join(home, '.codex'), 'hooks.json'),
    content: [
      {
        at: ['hooks', 'PreToolUse'],
        value: (command, { shell }) => ({
          matcher: shell === 'ask' ? 'Edit|Write|Bash' : 'Edit|Write',
          hooks: [
            { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'Hawser: waiting for your review' },
          ],
        }),
      },
    ],
    trust: {
      advice:
        'Start codex once and trust the hook when it asks: until then it does not run the hook, and says nothing.',
      noted: (hookFile, { home, variables }) => ({
        path: join(variables.CODEX_HOME || join(home, '.codex'), 'config.toml'),
        text: `${hookFile}:pre_tool_use`,
      }),
    },
  },
};
