import { objectOrEmpty } from '@hawser/unknown-values/objects';
import {
  type AcceptedFile,
  type GateCall,
  HOOK_SECONDS,
  type HoldingHook,
  type HookEntry,
  type HookOutput,
  PROMPT_SECONDS,
  type Verdict,
} from '../../gate.ts';
import type { FileTools } from './file-tools.ts';

/** A member of an agent's hook input. Throws an Error that names it if it is something else. */
export function textIn(members: Readonly<Record<string, unknown>>, name: string): string {
  const value = members[name];
  if (typeof value !== 'string') throw new Error(`${name} is not a text`);
  return value;
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`);
  return value as Readonly<Record<string, unknown>>;
}

/** The members that hooks of this kind have for every tool. */
export interface HookInput {
  /** When the hook runs, in the agent's words. */
  readonly event: string | undefined;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly session: string | undefined;
  readonly cwd: string;
  /** Undefined if the agent does not say. */
  readonly mode: string | undefined;
}

/** The form that Claude Code began and other agents took over. */
export function hookInput(given: unknown): HookInput {
  const input = objectIn(given, 'The input of the hook');
  const { session_id: session, permission_mode: mode, hook_event_name: event } = input;
  return {
    event: typeof event === 'string' ? event : undefined,
    tool: textIn(input, 'tool_name'),
    args: objectIn(input.tool_input, 'tool_input'),
    session: typeof session === 'string' ? session : undefined,
    cwd: textIn(input, 'cwd'),
    mode: typeof mode === 'string' ? mode : undefined,
  };
}

/** The answer that goes with it. `rewritten` is the input with which the tool writes what was accepted. */
export function hookAnswer(
  verdict: Verdict,
  rewritten: (files: readonly [AcceptedFile, ...AcceptedFile[]]) => unknown,
): HookOutput {
  switch (verdict.kind) {
    case 'refused':
      return hookRefusal(verdict.reason);
    case 'allowed':
      return hookOutput({ permissionDecision: 'allow', ...contextOf(verdict.words) });
    case 'accepted': {
      const { words } = verdict;
      const [file, ...more] = verdict.files;
      if (file === undefined) return hookRefusal('Nothing of this change was accepted.');
      return hookOutput({ permissionDecision: 'allow', updatedInput: rewritten([file, ...more]), ...contextOf(words) });
    }
  }
}

const PROMPT = 'UserPromptSubmit';

/** Has the bridge remember the workspace when the user sends a prompt. */
export const promptEntry: HookEntry = {
  at: ['hooks', PROMPT],
  value: (command) => ({ hooks: [{ type: 'command', command, timeout: PROMPT_SECONDS }] }),
};

/** Whether this is the input of that hook. */
export function isPrompt(given: unknown): boolean {
  return objectOrEmpty(given).hook_event_name === PROMPT;
}

/** Runs the hook after a command of the shell, if what it changes is held. */
export function afterShell(event: string, more: object = {}): HookEntry {
  return {
    at: ['hooks', event],
    value: (command, { shell }) =>
      shell === 'hold'
        ? { matcher: 'Bash', hooks: [{ type: 'command', command, timeout: HOOK_SECONDS, ...more }] }
        : undefined,
  };
}

/** The hook after a call, for agents that have one. Undefined if it is the one before. */
export function ranCall(
  { event, tool, args, session, cwd }: HookInput,
  shell: FileTools['shell'],
): GateCall | undefined {
  if (event === undefined || !/^(PostToolUse|AfterTool)/.test(event)) return undefined;
  const text = args[shell.command];
  return tool === shell.tool && typeof text === 'string' ? { kind: 'ran', session, cwd, text } : { kind: 'ignored' };
}

/** For agents whose hooks put another command in a command's place, and add what their model reads after it. */
export function hookHolding({ command: name }: FileTools['shell'], decision: object = {}): HoldingHook {
  return {
    replace: (given, command) => {
      const { args } = hookInput(given);
      return hookOutput({ ...decision, updatedInput: { ...args, [name]: command } });
    },
    tell: (given, words) => hookOutput({ hookEventName: hookInput(given).event, additionalContext: words }),
  };
}

function contextOf(words = ''): object {
  return words === '' ? {} : { additionalContext: words };
}

export function hookRefusal(reason: string): HookOutput {
  return hookOutput({ permissionDecision: 'deny', permissionDecisionReason: reason });
}

function hookOutput(output: object): HookOutput {
  return { stdout: JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }), exitCode: 0 };
}
