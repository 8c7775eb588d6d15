import { join } from 'node:path';
import { CLAUDE_CODE } from '@hawser/client/program-files';
import { parseObject } from '@hawser/unknown-values/objects';
import {
  type AcceptedFile,
  type FileEdit,
  type Gate,
  HOOK_SECONDS,
  type HookPlaces,
  type HookScope,
} from '../../gate.ts';
import { type FileTools, readCall, replacing, wholeArguments } from '../gate-parts/file-tools.ts';
import {
  afterShell,
  type HookInput,
  hookAnswer,
  hookHolding,
  hookInput,
  hookRefusal,
  isPrompt,
  promptEntry,
  ranCall,
  textIn,
} from '../gate-parts/hook-input.ts';

const WAITING = 'Hawser: waiting for your review';
const TOOLS: FileTools = {
  edit: { tool: 'Edit', path: 'file_path', from: 'old_string', to: 'new_string', all: 'replace_all' },
  write: { tool: 'Write', path: 'file_path', content: 'content' },
  shell: { tool: 'Bash', command: 'command', background: ['run_in_background', true] },
};

/** Claude Code runs the hook in every mode, after it has checked that the edit is possible. */
export const gate: Gate = {
  read(input) {
    const call = hookInput(input);
    const ran = ranCall(call, TOOLS.shell);
    if (ran !== undefined) return ran;
    const { tool, args, session, cwd, mode } = call;
    // It refuses changes by itself then.
    if (mode === 'plan') return { kind: 'ignored' };
    switch (tool) {
      case 'MultiEdit': {
        const edit = severalSteps(args);
        return { session, cwd, kind: 'edits', title: edit.path, edits: [edit] };
      }
      case 'NotebookEdit': {
        const title = `Edit of ${textIn(args, 'notebook_path')}`;
        return { session, cwd, kind: 'command', title, text: JSON.stringify(args, undefined, 2) };
      }
      default:
        return readCall(TOOLS, call);
    }
  },

  answer: (given, verdict) => hookAnswer(verdict, ([file]) => rewritten(hookInput(given), file)),

  refuse: hookRefusal,

  isPrompt,

  // Without a decision: its own question about the command is still asked where it would be.
  holding: hookHolding(TOOLS.shell),

  hook: {
    path: settingsPath,
    pluginFiles: (places, read) => {
      const settings = (['project', 'user'] as const).map((scope) =>
        parseObject(read(settingsPath(scope, places)) ?? ''),
      );
      const uses = settings.map((each) => memberOf(each?.enabledPlugins, PLUGIN)).find((used) => used !== undefined);
      const list = parseObject(read(join(CLAUDE_CODE.folder(places), 'plugins', 'installed_plugins.json')) ?? '');
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
    : join(CLAUDE_CODE.folder(places), 'settings.json');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function severalSteps(args: HookInput['args']): FileEdit {
  const path = textIn(args, 'file_path');
  const { edits } = args;
  if (!Array.isArray(edits)) throw new Error('edits is not a list');
  const steps = edits.map((each) => ({
    from: textIn(each, 'old_string'),
    to: textIn(each, 'new_string'),
    all: each.replace_all === true,
  }));
  return replacing(path, steps);
}

/** The same tool with the accepted text as a whole. */
function rewritten(call: HookInput, file: AcceptedFile): object {
  if (call.tool !== 'MultiEdit') return wholeArguments(TOOLS, call, file);
  const { oldText = '', text = '' } = file;
  return { file_path: call.args.file_path, edits: [{ old_string: oldText, new_string: text }] };
}
