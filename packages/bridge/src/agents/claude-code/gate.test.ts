import { describe, expect, it } from 'vitest';
import { refusalIn, withReplaced } from '../../../testing/hook-answers.ts';
import { describeGate, entriesOf } from '../../gate.contract.ts';
import { gate } from './gate.ts';

// Recorded from 2.1.325; the folders are other ones.
const common = {
  session_id: '710646a1-cfee-4d2a-a544-c17051610832',
  transcript_path: '/home/me/.claude/projects/-work/710646a1-cfee-4d2a-a544-c17051610832.jsonl',
  cwd: '/project',
  prompt_id: 'b7808950-0ca4-47fe-9355-1bd1a8a7b95a',
  permission_mode: 'bypassPermissions',
  effort: { level: 'medium' },
  hook_event_name: 'PreToolUse',
  tool_use_id: 'toolu_2',
};
const edit = { file_path: '/project/t.txt', old_string: 'beta', new_string: 'BETA' };
const call = (tool_name: string, tool_input: object, more: object = {}) => ({
  ...common,
  tool_name,
  tool_input,
  ...more,
});

describeGate('Claude Code', {
  agent: 'claude-code',
  gate,
  edits: {
    '2.1.325': call('Edit', { ...edit, replace_all: false }),
    '2.1.325, all of them': call('Edit', { ...edit, replace_all: true }),
    // By its documentation, not recorded: 2.1.325 has no such tool. Versions that had it sent no mode.
    'with MultiEdit': call(
      'MultiEdit',
      { file_path: '/project/t.txt', edits: [edit, { old_string: 'BETA', new_string: 'BETA', replace_all: true }] },
      { permission_mode: undefined },
    ),
  },
  newFile: call('Write', { file_path: '/project/n.txt', content: 'new one\n' }),
  shell: call('Bash', { command: 'echo x', description: 'x' }),
  held: {
    after: call('Bash', { command: 'echo x', description: 'x' }, { hook_event_name: 'PostToolUse' }),
    unheld: [call('Bash', { command: 'echo x', run_in_background: true })],
    command: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.updatedInput.command,
    told: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.additionalContext,
  },
  ignored: [call('Read', { file_path: '/project/t.txt' }), call('Edit', edit, { permission_mode: 'plan' })],
  run: ({ stdout }, files) => {
    const { updatedInput } = JSON.parse(stdout).hookSpecificOutput;
    const { file_path, content, edits = [updatedInput] } = updatedInput;
    if (content !== undefined) return new Map([...files, [file_path, content]]);
    const [{ old_string, new_string }] = edits;
    return withReplaced(files, file_path, old_string, new_string);
  },
  refusal: refusalIn,
});

describe('the gate of Claude Code, besides', () => {
  it('a text that is there twice can not be replaced once', () => {
    const read = gate.read(call('Edit', edit));
    expect(read.kind === 'edits' && read.edits[0]?.apply('beta beta')).toEqual(
      new Error('The text to replace is in the file more than once'),
    );
  });

  it('a notebook is shown as the call that it is', () => {
    const input = call('NotebookEdit', { notebook_path: '/project/a.ipynb', cell_id: 'c1', new_source: 'print(2)' });
    expect(gate.read(input)).toMatchObject({ kind: 'command', text: expect.stringContaining('"print(2)"') });
  });

  it('the hook refuses if it fails, and waits longer than anybody decides', () => {
    const { hook } = gate;
    const [entry] = entriesOf(gate, { shell: 'allow' });
    expect(entry).toMatchObject({
      matcher: 'Edit|MultiEdit|Write|NotebookEdit',
      hooks: [{ type: 'command', command: 'HOOK', timeout: 86_400, onFailure: 'block' }],
    });
    const places = { home: '/home/me', workspace: '/project', variables: { CLAUDE_CONFIG_DIR: '/c' } };
    expect([hook.path('project', places), hook.path('user', places)]).toEqual([
      '/project/.claude/settings.json',
      '/c/settings.json',
    ]);
  });
});
