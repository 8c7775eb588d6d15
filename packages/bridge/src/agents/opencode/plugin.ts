/** The plugin that runs the hook before opencode's tools. It runs in opencode, so it imports nothing of ours. */
export function pluginText(hook: readonly string[], tools: readonly string[], after: readonly string[]): string {
  return `// Hawser's gate: what opencode is about to change waits for your decision. hawser gate off opencode removes this file.
import { spawn } from 'node:child_process';

const HOOK = ${JSON.stringify(hook)};
const TOOLS = ${JSON.stringify(tools)};
const AFTER = ${JSON.stringify(after)};
${PLUGIN}`;
}

const PLUGIN = `
export const Hawser = async ({ directory }) => {
  /** The hooks that wait for a decision, by session. */
  const waiting = new Map();
  /** What the model is to read after a call, by call. */
  const notes = new Map();

  /** Rejects unless the hook allows the call. */
  function ask(session, input) {
    return new Promise((resolve, reject) => {
      const [program, ...args] = HOOK;
      const child = spawn(program, args, { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });
      const hooks = waiting.get(session) ?? new Set();
      waiting.set(session, hooks.add(child));
      let answer = '';
      child.stdout.setEncoding('utf8').on('data', (part) => {
        answer += part;
      });
      child.on('error', (error) => reject(new Error('Hawser does not run: ' + error.message + '. Nothing was changed.')));
      child.on('close', (code) => {
        hooks.delete(child);
        if (hooks.size === 0) waiting.delete(session);
        if (child.killed) return reject(new Error('Interrupted. Nothing was changed.'));
        if (code !== 0) return reject(new Error('Hawser ended with exit code ' + code + '. Nothing was changed.'));
        try {
          resolve(answer === '' ? { permissionDecision: 'allow' } : JSON.parse(answer).hookSpecificOutput);
        } catch (error) {
          reject(error);
        }
      });
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(input));
    });
  }

  return {
    'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
      if (!TOOLS.includes(tool)) return;
      const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext } = await ask(sessionID, {
        session_id: sessionID,
        cwd: directory,
        tool_name: tool,
        tool_input: output.args,
      });
      if (permissionDecision !== 'allow') throw new Error(permissionDecisionReason);
      Object.assign(output.args, updatedInput);
      if (additionalContext !== undefined) notes.set(callID, additionalContext);
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      const note = notes.get(callID);
      notes.delete(callID);
      if (note !== undefined) output.output += '\\n\\n' + note;
      if (!AFTER.includes(tool)) return;
      const input = { hook_event_name: 'PostToolUse', session_id: sessionID, cwd: directory, tool_name: tool, tool_input: args ?? {} };
      const { additionalContext } = await ask(sessionID, input).catch(({ message }) => ({ additionalContext: message }));
      if (additionalContext !== undefined) output.output += '\\n\\n' + additionalContext;
    },
    event: async ({ event: { type, properties } }) => {
      // opencode runs a tool whose plugin answers after the user has interrupted it.
      if (type !== 'session.error' && type !== 'session.idle') return;
      for (const child of waiting.get(properties.sessionID) ?? []) child.kill();
    },
  };
};
`;
