import { describe, expect, it } from 'vitest';
import { withReplaced } from '../../../testing/hook-answers.ts';
import { describeGate, entriesOf } from '../../gate.contract.ts';
import { gate } from './gate.ts';

// Recorded from 0.61.0; the folders are other ones.
const call = (tool_name: string, tool_input: object, hook_event_name = 'BeforeTool') => ({
  session_id: '19832eb5-ebd4-401d-b083-da3682c1c12e',
  transcript_path: '/home/me/.gemini/tmp/project/chats/session-2026-11-18T06-13-19832eb5.jsonl',
  cwd: '/project',
  hook_event_name,
  timestamp: '2026-11-18T06:13:49.526Z',
  tool_name,
  tool_input,
});
const edit = { file_path: '/project/t.txt', instruction: 'In capitals.', old_string: 'beta', new_string: 'BETA' };

describeGate('Gemini CLI', {
  agent: 'gemini-cli',
  gate,
  edits: {
    '0.61.0': call('replace', edit),
    '0.61.0, all of them': call('replace', { ...edit, allow_multiple: true }),
  },
  newFile: call('write_file', { file_path: '/project/n.txt', content: 'new one\n' }),
  shell: call('run_shell_command', { command: 'echo x', description: 'x' }),
  held: {
    after: call('run_shell_command', { command: 'echo x', description: 'x' }, 'AfterTool'),
    unheld: [call('run_shell_command', { command: 'echo x', is_background: true })],
    command: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.tool_input.command,
    told: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.additionalContext,
  },
  ignored: [call('read_file', { file_path: '/project/t.txt' }), call('replace', edit, 'AfterTool')],
  run: ({ stdout }, files) => {
    const { file_path, content, old_string, new_string } = JSON.parse(stdout).hookSpecificOutput.tool_input;
    if (content !== undefined) return new Map([...files, [file_path, content]]);
    return withReplaced(files, file_path, old_string, new_string);
  },
  refusal: ({ stdout }) => {
    const { decision, reason } = JSON.parse(stdout);
    return decision === 'allow' ? undefined : reason;
  },
});

describe('the gate of Gemini CLI, besides', () => {
  it('what differs is added to the result of the tool: its model reads nothing else', () => {
    const input = call('replace', edit);
    const read = gate.read(input);
    if (read.kind !== 'edits') throw new Error('It has edits');
    const files = read.edits.map((each) => ({ edit: each, oldText: 'beta\n', text: 'Beta\n' }));
    const { stdout } = gate.answer(input, { kind: 'accepted', files, words: 'Not in capitals.' });
    const after = gate.read(call('replace', JSON.parse(stdout).hookSpecificOutput.tool_input, 'AfterTool'));
    expect(after.kind === 'answered' && JSON.parse(after.output.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'Not in capitals.' },
    });
  });

  it('knows the prompt of its user by the event that its hook is configured for', () => {
    const event = 'BeforeAgent';
    expect(gate.hook.content).toContainEqual(expect.objectContaining({ at: ['hooks', event] }));
    const prompt = { hook_event_name: event, cwd: '/project', prompt: 'go' };
    expect([gate.isPrompt?.(prompt), gate.isPrompt?.(call('replace', edit))]).toEqual([true, false]);
  });

  it('its hook waits longer than anybody decides, in milliseconds', () => {
    const [before] = entriesOf(gate, { shell: 'allow' });
    expect(before).toEqual({
      matcher: 'replace|write_file',
      hooks: [{ name: 'hawser', type: 'command', command: 'HOOK', timeout: 86_400_000 }],
    });
  });
});
