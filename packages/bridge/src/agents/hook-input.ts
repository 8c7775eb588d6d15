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
  const { session_id: session, permission_mode: mode } = input;
  return {
    tool: textIn(input, 'tool_name'),
    args: objectIn(input.tool_input, 'tool_input'),
    session: typeof session === 'string' ? session : undefined,
    cwd: textIn(input, 'cwd'),
    mode: typeof mode === 'string' ? mode : undefined,
  };
}

/** The answer that goes with it. */
export function hookAnswer(decision: 'allow' | 'deny', more: Readonly<Record<string, unknown>>) {
  const output = { hookEventName: 'PreToolUse', permissionDecision: decision, ...more };
  return { stdout: JSON.stringify({ hookSpecificOutput: output }), exitCode: 0 };
}
