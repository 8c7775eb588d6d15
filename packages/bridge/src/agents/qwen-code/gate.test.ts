import { describe, expect, it } from 'vitest';
import { refusalIn, withReplaced } from '../../../testing/hook-answers.ts';
import { describeGate, entriesOf } from '../../gate.contract.ts';
import { gate } from './gate.ts';

// Recorded from 0.24.4; the folders are other ones.
const call = (tool_name: string, tool_input: object, permission_mode = 'yolo') => ({
  session_id: '0ccd92d2-7d3a-451b-b1d9-918398401f91',
  transcript_path: '/home/me/.qwen/projects/-work/chats/0ccd92d2-7d3a-451b-b1d9-918398401f91.jsonl',
  cwd: '/project',
  hook_event_name: 'PreToolUse',
  timestamp: '2026-11-18T06:13:51.482Z',
  permission_mode,
  prompt_id: '0ccd92d2-7d3a-451b-b1d9-918398401f91########0',
  tool_name,
  tool_input,
  tool_use_id: 'toolu_1794982431482_04ji2vrkk',
  tool_call_id: 'call_2',
});
const edit = { file_path: '/project/t.txt', old_string: 'beta', new_string: 'BETA' };

describeGate('Qwen Code', {
  agent: 'qwen-code',
  gate,
  edits: {
    '0.24.4': call('edit', edit),
    '0.24.4, all of them': call('edit', { ...edit, replace_all: true }, 'auto-edit'),
  },
  newFile: call('write_file', { file_path: '/project/n.txt', content: 'new one\n' }),
  shell: call('run_shell_command', { command: 'echo x', is_background: false }),
  ignored: [
    call('read_file', { file_path: '/project/t.txt' }),
    call('edit', edit, 'default'),
    call('edit', edit, 'plan'),
  ],
  run: ({ stdout }, files) => {
    const { file_path, content, old_string, new_string } = JSON.parse(stdout).hookSpecificOutput.updatedInput;
    if (content !== undefined) return new Map([...files, [file_path, content]]);
    return withReplaced(files, file_path, old_string, new_string);
  },
  refusal: refusalIn,
});

describe('the gate of Qwen Code, besides', () => {
  it('answers before it runs the tool, and knows a call that is made again', () => {
    const [entry] = entriesOf(gate, { shell: 'allow' });
    expect(entry).toEqual({
      matcher: 'edit|write_file',
      hooks: [{ type: 'command', command: 'HOOK', timeout: 60 }],
    });
    expect(gate.slices?.seconds).toBe(45);
    const again = { ...call('edit', edit), tool_use_id: 'toolu_2', tool_call_id: 'call_3' };
    expect(gate.slices?.key(again)).toBe(gate.slices?.key(call('edit', edit)));
    const other = call('edit', { ...edit, new_string: 'Beta' });
    expect(gate.slices?.key(other)).not.toBe(gate.slices?.key(again));
  });

  it('the hook is in the settings that it reads, also with a QWEN_HOME in the home', () => {
    const path = (QWEN_HOME?: string) =>
      gate.hook.path('user', { home: '/h', workspace: '/project', variables: { QWEN_HOME } });
    expect([path(), path('/q'), path('~/q')]).toEqual([
      '/h/.qwen/settings.json',
      '/q/settings.json',
      '/h/q/settings.json',
    ]);
  });
});
