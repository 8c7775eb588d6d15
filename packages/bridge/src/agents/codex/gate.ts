import { join } from 'node:path';
import { CODEX } from '@hawser/client/program-files';
import { type Gate, HOOK_SECONDS } from '../../gate.ts';
import { shellCall } from '../gate-parts/file-tools.ts';
import {
  afterShell,
  hookAnswer,
  hookHolding,
  hookInput,
  hookRefusal,
  isPrompt,
  promptEntry,
  ranCall,
  textIn,
} from '../gate-parts/hook-input.ts';
import { patchCall, wholePatch } from '../gate-parts/patch.ts';

const SHELL = { tool: 'Bash', command: 'command' };
/** The mode in which commands run without Codex's own sandbox, in which nothing can be mounted. */
const UNCONFINED = 'bypassPermissions';
const CONFINED = "Codex's own sandbox does not let it";

/** Codex runs the hook in every mode, once the user has trusted it. Its tool takes a patch of several files. */
export const gate: Gate = {
  read(input) {
    const call = hookInput(input);
    const { tool, args, session, cwd, mode } = call;
    const ran = ranCall(call, SHELL);
    if (ran !== undefined) return ran;
    const source = { session, cwd };
    switch (tool) {
      case 'apply_patch':
        return patchCall(source, textIn(args, 'command'));
      case 'Bash':
        return { ...shellCall(call, SHELL), ...(mode !== UNCONFINED && { shell: { unheld: CONFINED } }) };
      default:
        return { kind: 'ignored' };
    }
  },

  answer: (_given, verdict) => hookAnswer(verdict, (files) => ({ command: wholePatch(files) })),

  refuse: hookRefusal,

  isPrompt,

  // It takes another input only with a decision; what it asks itself, it asks all the same.
  holding: hookHolding(SHELL, { permissionDecision: 'allow' }),

  hook: {
    path: (scope, places) =>
      join(scope === 'project' ? join(places.workspace, '.codex') : CODEX.folder(places), 'hooks.json'),
    content: [
      {
        at: ['hooks', 'PreToolUse'],
        value: (command, { shell }) => ({
          matcher: shell === 'allow' ? 'Edit|Write' : 'Edit|Write|Bash',
          hooks: [
            { type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'Hawser: waiting for your review' },
          ],
        }),
      },
      afterShell('PostToolUse'),
      promptEntry,
    ],
    trust: {
      advice:
        'Start codex once and trust the hook when it asks: until then it does not run the hook, and says nothing.',
      noted: (hookFile, places) => ({
        path: CODEX.userFile(places),
        text: `${hookFile}:pre_tool_use`,
      }),
    },
  },
};
