import type { HookOutput } from '../src/gate.ts';

/** The files after an agent has replaced a text that must be there once. */
export function withReplaced(
  files: ReadonlyMap<string, string>,
  path: string,
  oldText: string,
  newText: string,
): Map<string, string> {
  const parts = (files.get(path) ?? '').split(oldText);
  if (parts.length !== 2) throw new Error('The text to replace is not in the file once');
  return new Map([...files, [path, parts.join(newText)]]);
}

/** Why a hook in the words of Claude Code, which others took over, refuses a call; undefined if it does not. */
export function refusalIn({ stdout }: HookOutput): string | undefined {
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  return permissionDecision === 'allow' ? undefined : permissionDecisionReason;
}
