import { join } from 'node:path';
import { type AcceptedFile, type Gate, HOOK_SECONDS } from '../../gate.ts';
import { hookAnswer, hookInput, textIn } from '../hook-input.ts';
import { parsePatch } from './patch.ts';

/** Codex runs the hook in every mode, once the user has trusted it. Its tool takes a patch of several files. */
export const gate: Gate = {
  read(input) {
    const { tool, args, session, cwd } = hookInput(input);
    const source = { session, cwd };
    switch (tool) {
      case 'apply_patch': {
        const edits = parsePatch(textIn(args, 'command'));
        const [first] = edits;
        const title = edits.length === 1 && first !== undefined ? first.path : `Patch of ${edits.length} files`;
        return { ...source, kind: 'edits', title, edits };
      }
      case 'Bash':
        return { ...source, kind: 'command', title: 'Shell command', text: textIn(args, 'command') };
      default:
        return { kind: 'ignored' };
    }
  },

  answer(_input, verdict) {
    switch (verdict.kind) {
      case 'refused':
        return gate.refuse(verdict.reason);
      case 'allowed':
        return hookAnswer('allow', {});
      case 'accepted':
        return hookAnswer('allow', {
          updatedInput: { command: wholePatch(verdict.files) },
          ...(verdict.words !== '' && { additionalContext: verdict.words }),
        });
    }
  },

  refuse: (reason) => hookAnswer('deny', { permissionDecisionReason: reason }),

  hook: {
    path: (scope, { home, workspace, variables }) =>
      scope === 'project'
        ? join(workspace, '.codex', 'hooks.json')
        : join(variables.CODEX_HOME || join(home, '.codex'), 'hooks.json'),
    at: ['hooks', 'PreToolUse'],
    entry: (command, { shell }) => ({
      matcher: shell === 'ask' ? 'Edit|Write|Bash' : 'Edit|Write',
      hooks: [{ type: 'command', command, timeout: HOOK_SECONDS, statusMessage: 'Hawser: waiting for your review' }],
    }),
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

/** Replaces each file as a whole, so that nothing depends on how Codex finds the lines. */
function wholePatch(files: readonly AcceptedFile[]): string {
  const parts = files.flatMap(({ edit: { path, movedFrom }, oldText, text }) => {
    if (text === undefined) return [`*** Delete File: ${path}`];
    if (oldText === undefined) return [`*** Add File: ${path}`, ...linesOf(text).map((line) => `+${line}`)];
    const moved = movedFrom === undefined ? [] : [`*** Move to: ${path}`];
    const changed = [...linesOf(oldText).map((line) => `-${line}`), ...linesOf(text).map((line) => `+${line}`)];
    return [`*** Update File: ${movedFrom ?? path}`, ...moved, '@@', ...changed, '*** End of File'];
  });
  return ['*** Begin Patch', ...parts, '*** End Patch', ''].join('\n');
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
