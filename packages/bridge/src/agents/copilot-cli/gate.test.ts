import { describe, expect, it } from 'vitest';
import { refusalIn, withReplaced } from '../../../testing/hook-answers.ts';
import { describeGate, entriesOf } from '../../gate.contract.ts';
import { parsePatch } from '../gate-parts/patch.ts';
import { gate } from './gate.ts';

// Recorded from the program; folders and ids are shorter.
const call = (tool_name: string, tool_input: unknown) => ({
  hook_event_name: 'PreToolUse',
  session_id: '381a1b43-9245-468e-966c-188ea9bf5e51',
  timestamp: '2026-11-18T05:53:48.357Z',
  cwd: '/project',
  tool_name,
  tool_input,
});
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

describeGate('Copilot CLI', {
  agent: 'copilot-cli',
  gate,
  edits: {
    '1.0.102': call('Edit', { path: '/project/t.txt', old_str: 'beta', new_str: 'BETA' }),
    '1.0.102, of a model with patches': call('Edit', patch('*** Update File: t.txt', '@@', ' alpha', '-beta', '+BETA')),
  },
  newFile: call('Write', { path: '/project/n.txt', file_text: 'new one\n' }),
  shell: call('Bash', { command: 'echo x', description: 'x' }),
  held: {
    after: { ...call('Bash', { command: 'echo x', description: 'x' }), hook_event_name: 'PostToolUse' },
    unheld: [call('Bash', { command: 'echo x', mode: 'async' })],
    command: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.updatedInput.command,
    told: ({ stdout }) => JSON.parse(stdout).additionalContext,
  },
  ignored: [call('Read', { path: '/project/t.txt' })],
  run: ({ stdout }, files) => {
    const { updatedInput } = JSON.parse(stdout).hookSpecificOutput;
    if (typeof updatedInput === 'string') {
      const [edit] = parsePatch(updatedInput);
      if (edit === undefined) throw new Error('The patch changes a file');
      return new Map([[edit.path, edit.apply(files.get(edit.path)) as string]]);
    }
    const { path, file_text, old_str, new_str } = updatedInput;
    if (file_text !== undefined) return new Map([...files, [path, file_text]]);
    return withReplaced(files, path, old_str, new_str);
  },
  refusal: refusalIn,
});

describe('the gate of Copilot CLI, besides', () => {
  it('its hook is in a file of its own, and waits longer than anybody decides', () => {
    const { hook } = gate;
    const places = { home: '/home/me', workspace: '/project', variables: {} };
    expect([hook.path('project', places), hook.path('user', places)]).toEqual([
      '/project/.github/hooks/hawser.json',
      '/home/me/.copilot/hooks/hawser.json',
    ]);
    expect(entriesOf(gate, { shell: 'ask' })).toEqual([
      { matcher: 'Edit|Write|Bash', hooks: [{ type: 'command', command: 'HOOK', timeout: 86_400 }] },
    ]);
  });
});
