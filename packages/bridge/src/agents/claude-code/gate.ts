import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import {
  type AcceptedFile,
  type FileEdit,
  type Gate,
  HOOK_SECONDS,
  type HookPlaces,
  type HookScope,
} from '../../gate.ts';
import { replacing, shellCall, writing } from '../file-tools.ts';
import {
  afterShell,
  type HookInput,
  hookAnswer,
  hookHolding,
  hookInput,
  hookRefusal,
  promptEntry,
  ranCall,
  textIn,
} from '../hook-input.ts';
import { claudeFolder } from './lock.ts';

const WAITING = 'Hawser: waiting for your review';
const SHELL = { tool: 'Bash', command: 'command', background: ['run_in_background', true] } as const;

/** Claude Code runs the hook in every mode, after it has checked that the edit is possible. */
export const gate: Gate = {
  read(input) {
    const call = hookInput(input);
    const { tool, args, session, cwd, mode } = call;
    const ran = ranCall(call, SHELL);
    if (ran !== undefined) return ran;
    const source = { session, cwd };
    // It refuses changes by itself then.
    if (mode === 'plan') return { kind: 'ignored' };
    switch (tool) {
      case 'Edit':
      case 'MultiEdit':
      case 'Write': {
        const edit = fileEdit(tool, args);
        return { ...source, kind: 'edits', title: edit.path, edits: [edit] };
      }
      case 'NotebookEdit':
        return { ...source, kind: 'command', title: `Edit of ${textIn(args, 'notebook_path')}`, text: shown(args) };
      case 'Bash':
        return shellCall(call, SHELL);
      default:
        return { kind: 'ignored' };
    }
  },

  answer: (given, verdict) => hookAnswer(verdict, ([file]) => rewritten(hookInput(given), file)),

  refuse: hookRefusal,

  // Without a decision: its own question about the command is still asked where it would be.
  holding: hookHolding(SHELL),

  hook: {
    path: settingsPath,
    pluginFiles: (places, read) => {
      const settings = (['project', 'user'] as const).map((scope) =>
        parseObject(read(settingsPath(scope, places)) ?? ''),
      );
      const uses = settings.map((each) => memberOf(each?.enabledPlugins, PLUGIN)).find((used) => used !== undefined);
      const list = parseObject(read(join(claudeFolder(places), 'plugins', 'installed_plugins.json')) ?? '');
      const installed = memberOf(list?.plugins, PLUGIN);
      if (uses !== true || !Array.isArray(installed)) return [];
      const folders = installed.map((each) => memberOf(each, 'installPath'));
      return folders.flatMap((folder) => (typeof folder === 'string' ? join(folder, 'hooks', 'hooks.json') : []));
    },
    offSwitch: { at: ['disableAllHooks'], value: true },
    content: [
      {
        at: ['hooks', 'PreToolUse'],
        value: (command, { shell }) => ({
          matcher: ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', ...(shell === 'allow' ? [] : ['Bash'])].join('|'),
          hooks: [
            {
              type: 'command',
              command,
              timeout: HOOK_SECONDS,
              // Without it a hook that crashes lets the edit through.
              onFailure: 'block',
              statusMessage: WAITING,
            },
          ],
        }),
      },
      // The second one runs after a command that has failed.
      afterShell('PostToolUse', { statusMessage: WAITING }),
      afterShell('PostToolUseFailure', { statusMessage: WAITING }),
      promptEntry,
    ],
  },

  // Copilot CLI runs the hooks of a project's .claude/settings.json, with the arguments of its own tools.
  ranBy: (input) =>
    typeof input === 'object' && input !== null && 'timestamp' in input && !('transcript_path' in input)
      ? 'copilot-cli'
      : undefined,
};

/** Its name, and that of the marketplace it comes from. */
const PLUGIN = 'hawser@hawser';

function settingsPath(scope: HookScope, places: HookPlaces): string {
  return scope === 'project'
    ? join(places.workspace, '.claude', 'settings.json')
    : join(claudeFolder(places), 'settings.json');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function fileEdit(tool: string, args: HookInput['args']): FileEdit {
  const path = textIn(args, 'file_path');
  if (tool === 'Write') return writing(path, textIn(args, 'content'));
  const replacements = tool === 'Edit' ? [args] : (args.edits as readonly HookInput['args'][]);
  if (!Array.isArray(replacements)) throw new Error('edits is not a list');
  const steps = replacements.map((each) => ({
    from: textIn(each, 'old_string'),
    to: textIn(each, 'new_string'),
    all: each.replace_all === true,
  }));
  return replacing(path, steps);
}

/** The same tool with the accepted text as a whole: whatever it would have matched, this is what it writes. */
function rewritten({ tool, args }: HookInput, { oldText, text = '' }: AcceptedFile): object {
  const file_path = args.file_path;
  if (tool === 'Write') return { file_path, content: text };
  const whole = { old_string: oldText ?? '', new_string: text };
  return tool === 'Edit' ? { file_path, ...whole, replace_all: false } : { file_path, edits: [whole] };
}

function shown(args: HookInput['args']): string {
  return JSON.stringify(args, undefined, 2);
}
