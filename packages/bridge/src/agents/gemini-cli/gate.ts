import { join } from 'node:path';
import { GEMINI_CLI } from '@hawser/client/program-files';
import { objectOrEmpty, parseObject } from '@hawser/unknown-values/objects';
import { type Gate, HOOK_SECONDS, type HookOutput, PROMPT_SECONDS } from '../../gate.ts';
import { type FileTools, readCall, wholeArguments } from '../gate-parts/file-tools.ts';
import { hookInput, ranCall } from '../gate-parts/hook-input.ts';

const TOOLS: FileTools = {
  edit: { tool: 'replace', path: 'file_path', from: 'old_string', to: 'new_string', all: 'allow_multiple' },
  write: { tool: 'write_file', path: 'file_path', content: 'content' },
  shell: { tool: 'run_shell_command', command: 'command', background: ['is_background', true] },
};

/** An argument that its tools do not know. Their result is all that its model reads, so the hook after them adds it there. */
const NOTE = 'hawser_note';

/** The event when its user sends a prompt. */
const PROMPT = 'BeforeAgent';

/** Gemini CLI runs the hook in every mode and does not name the mode. */
export const gate: Gate = {
  read(given) {
    const input = hookInput(given);
    if (input.event !== 'AfterTool') return readCall(TOOLS, input);
    const note = input.args[NOTE];
    if (typeof note === 'string') return { kind: 'answered', output: afterTool(note) };
    return ranCall(input, TOOLS.shell) ?? { kind: 'ignored' };
  },

  answer(given, verdict) {
    switch (verdict.kind) {
      case 'refused':
        return gate.refuse(verdict.reason);
      case 'allowed':
        return json({ decision: 'allow' });
      case 'accepted': {
        const [file] = verdict.files;
        if (file === undefined) return gate.refuse('Nothing of this change was accepted.');
        const { words } = verdict;
        const tool_input = { ...wholeArguments(TOOLS, hookInput(given), file), ...(words !== '' && { [NOTE]: words }) };
        return json({ decision: 'allow', hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } });
      }
    }
  },

  refuse: (reason) => json({ decision: 'deny', reason }),

  isPrompt: (given) => objectOrEmpty(given).hook_event_name === PROMPT,

  holding: {
    replace: (given, command) => {
      const tool_input = { ...hookInput(given).args, [TOOLS.shell.command]: command };
      return json({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } });
    },
    tell: (_given, words) => afterTool(words),
  },

  hook: {
    path: (scope, places) =>
      scope === 'project' ? join(places.workspace, GEMINI_CLI.projectFile) : GEMINI_CLI.userFile(places),
    pluginFiles: (places, read) => {
      const extensions = join(GEMINI_CLI.folder(places), 'extensions');
      const { hawser } = parseObject(read(join(extensions, 'extension-enablement.json')) ?? '') ?? {};
      const { overrides } = (hawser ?? {}) as { readonly overrides?: unknown };
      // The last one is what its user has said last.
      const isDisabled = Array.isArray(overrides) && String(overrides.at(-1)).startsWith('!');
      return isDisabled ? [] : [join(extensions, 'hawser', 'hooks', 'hooks.json')];
    },
    offSwitch: { at: ['hooksConfig', 'enabled'], value: false },
    content: [
      {
        at: ['hooks', 'BeforeTool'],
        value: (command, { shell }) => ({
          matcher: shell === 'allow' ? 'replace|write_file' : 'replace|write_file|run_shell_command',
          hooks: [{ name: 'hawser', type: 'command', command, timeout: HOOK_SECONDS * 1000 }],
        }),
      },
      {
        at: ['hooks', 'AfterTool'],
        value: (command, { shell }) => ({
          matcher: shell === 'hold' ? 'replace|write_file|run_shell_command' : 'replace|write_file',
          hooks: [
            { name: 'hawser', type: 'command', command, ...(shell === 'hold' && { timeout: HOOK_SECONDS * 1000 }) },
          ],
        }),
      },
      {
        at: ['hooks', PROMPT],
        value: (command) => ({ hooks: [{ name: 'hawser', type: 'command', command, timeout: PROMPT_SECONDS * 1000 }] }),
      },
    ],
  },
};

function afterTool(additionalContext: string): HookOutput {
  return json({ hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext } });
}

function json(answer: object): HookOutput {
  return { stdout: JSON.stringify(answer), exitCode: 0 };
}
