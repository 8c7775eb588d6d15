import type { AcceptedFile, FileEdit, GateCall } from '../../gate.ts';
import { type HookInput, textIn } from './hook-input.ts';

/** What an agent calls its tools that change files or run commands, and the arguments of these. */
export interface FileTools {
  readonly edit: {
    readonly tool: string;
    readonly path: string;
    readonly from: string;
    readonly to: string;
    /** Absent if the text must be there once. */
    readonly all?: string;
  };
  readonly write: { readonly tool: string; readonly path: string; readonly content: string };
  readonly shell: {
    readonly tool: string;
    readonly command: string;
    /** The argument that has a command run in the background, and its value. */
    readonly background?: readonly [string, unknown];
  };
}

/** What a call of one of these tools is about to do. Throws an Error if its arguments are not those. */
export function readCall({ edit, write, shell }: FileTools, { tool, args, session, cwd }: ToolCall): GateCall {
  const source = { session, cwd };
  switch (tool) {
    case edit.tool: {
      const path = textIn(args, edit.path);
      const step = {
        from: textIn(args, edit.from),
        to: textIn(args, edit.to),
        all: edit.all !== undefined && args[edit.all] === true,
      };
      return { ...source, kind: 'edits', title: path, edits: [replacing(path, [step])] };
    }
    case write.tool: {
      const path = textIn(args, write.path);
      return { ...source, kind: 'edits', title: path, edits: [writing(path, textIn(args, write.content))] };
    }
    case shell.tool:
      return shellCall({ tool, args, session, cwd }, shell);
    default:
      return { kind: 'ignored' };
  }
}

type ToolCall = Pick<HookInput, 'tool' | 'args' | 'session' | 'cwd'>;

/** The call of a tool that runs commands. */
export function shellCall({ args, session, cwd }: ToolCall, { command, background }: FileTools['shell']): GateCall {
  const isBackground = background !== undefined && args[background[0]] === background[1];
  const shell = isBackground ? { unheld: 'it runs in the background' } : {};
  return { session, cwd, kind: 'command', title: 'Shell command', text: textIn(args, command), shell };
}

/** The arguments with the accepted text as a whole: whatever the tool would have matched, this is what it writes. */
export function wholeArguments(
  { edit, write }: FileTools,
  { tool, args }: HookInput,
  { oldText = '', text = '' }: AcceptedFile,
): Readonly<Record<string, unknown>> {
  if (tool === write.tool) return { ...args, [write.content]: text };
  const once = edit.all === undefined ? {} : { [edit.all]: false };
  return { ...args, [edit.from]: oldText, [edit.to]: text, ...once };
}

function writing(path: string, content: string): FileEdit {
  return { path, apply: () => content };
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

/** Replaces texts that are in the file exactly so, one after the other. Without a text to replace it makes a new file. */
export function replacing(path: string, steps: readonly Replacement[]): FileEdit {
  return {
    path,
    apply: (oldText) =>
      steps.reduce<string | Error>(
        (text, step) => (text instanceof Error ? text : replaced(text, step)),
        oldText ?? (steps[0]?.from === '' ? '' : new Error(`There is no file ${path}`)),
      ),
  };
}

function replaced(text: string, { from, to, all }: Replacement): string | Error {
  if (from === '') return text === '' ? to : new Error('The text to replace is empty, and the file is not');
  const parts = text.split(from);
  if (parts.length === 1) return new Error('The text to replace is not in the file');
  if (parts.length > 2 && !all) return new Error('The text to replace is in the file more than once');
  return parts.join(to);
}
