import { describe, expect, it } from 'vitest';
import { refusalIn } from '../../../testing/hook-answers.ts';
import { describeGate } from '../../gate.contract.ts';
import type { FileEdit } from '../../gate.ts';
import { parsePatch } from '../gate-parts/patch.ts';
import { gate } from './gate.ts';

// Recorded from 0.166.0; the folders are other ones.
const common = {
  session_id: '01a1ed4a-5072-74e0-b047-5f2b1e8b5246',
  turn_id: '01a1ed4a-5082-7042-8264-429f65479d16',
  transcript_path: '/home/me/.codex/sessions/2026/11/18/rollout-2026-11-18T06-13-52-01a1ed4a.jsonl',
  cwd: '/project',
  hook_event_name: 'PreToolUse',
  model: 'gpt-5.5',
  permission_mode: 'bypassPermissions',
  tool_use_id: 'call_1',
};
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const call = (tool_name: string, command: string) => ({ ...common, tool_name, tool_input: { command } });
const changed = ['*** Update File: t.txt', '@@', ' alpha', '-beta', '+BETA', ' gamma'];

describeGate('Codex', {
  agent: 'codex',
  gate,
  edits: {
    '0.166.0': call('apply_patch', patch(...changed)),
    '0.166.0, with the line before': call('apply_patch', patch('*** Update File: t.txt', '@@ alpha', '-beta', '+BETA')),
  },
  newFile: call('apply_patch', patch('*** Add File: n.txt', '+new one')),
  shell: call('Bash', 'echo x'),
  held: {
    after: { ...call('Bash', 'echo x'), hook_event_name: 'PostToolUse' },
    unheld: [{ ...call('Bash', 'echo x'), permission_mode: 'default' }],
    command: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.updatedInput.command,
    told: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.additionalContext,
  },
  ignored: [call('view_image', 'a.png')],
  run: ({ stdout }, files) => {
    const { updatedInput } = JSON.parse(stdout).hookSpecificOutput;
    const after = new Map(files);
    for (const each of parsePatch(updatedInput.command)) {
      const text = each.apply(files.get(each.movedFrom ?? each.path));
      if (each.movedFrom !== undefined) after.delete(each.movedFrom);
      if (text instanceof Error) throw text;
      if (typeof text === 'string') after.set(each.path, text);
      else after.delete(each.path);
    }
    return after;
  },
  refusal: refusalIn,
});

describe('a patch of Codex', () => {
  const edits = (...lines: string[]): readonly FileEdit[] => parsePatch(patch(...lines));

  it('changes, adds, moves and deletes several files', () => {
    const [changedFile, added, deleted, moved] = edits(
      ...changed,
      '*** Add File: n.txt',
      '+new one',
      '+',
      '*** Delete File: u.txt',
      '*** Update File: v.txt',
      '*** Move to: w.txt',
      '@@',
      '-delta',
      '+DELTA',
    );
    expect(changedFile?.apply('alpha\nbeta\ngamma\n')).toBe('alpha\nBETA\ngamma\n');
    expect(added?.apply(undefined)).toBe('new one\n\n');
    expect(deleted?.apply('gone\n')).toEqual({ kind: 'deleted' });
    expect([moved?.movedFrom, moved?.path, moved?.apply('delta\n')]).toEqual(['v.txt', 'w.txt', 'DELTA\n']);
  });

  it('finds lines whose indentation is wrong, the exact ones first, and each hunk after the one before', () => {
    const [loose] = edits('*** Update File: t.txt', '@@', ' a', '-b', '+B');
    expect(loose?.apply('  a\n  b\n')).toBe('a\nB\n');
    expect(loose?.apply('  a\n  b\na\nb\n')).toBe('  a\n  b\na\nB\n');
    const [twice] = edits('*** Update File: t.txt', '@@', '-x', '+1', '@@', '-x', '+2');
    expect(twice?.apply('x\nx\n')).toBe('1\n2\n');
  });

  it('with an end of file changes the last lines', () => {
    const [last] = edits('*** Update File: t.txt', '@@', '-x', '+1', '*** End of File');
    expect(last?.apply('x\ny\nx\n')).toBe('x\ny\n1\n');
  });

  it.each([
    ['', 'begin'],
    ['*** Begin Patch\n', 'end'],
    [patch(), 'changes no file'],
    [patch('+x'), 'outside'],
    [patch('*** Add File: a', 'x'), 'does not begin with'],
    [patch('*** Update File: a', '@@', 'x'), 'has no sign'],
  ])('that is none is an error: %j', (text, message) => {
    expect(() => parsePatch(text)).toThrow(message);
  });

  it('of which a part was accepted becomes a patch of that part alone', () => {
    const input = call('apply_patch', patch(...changed, '*** Delete File: u.txt'));
    const read = gate.read(input);
    if (read.kind !== 'edits') throw new Error('It has edits');
    const [first] = read.edits as [FileEdit];
    const files = [{ edit: first, oldText: 'alpha\nbeta\ngamma\n', text: 'alpha\nBETA\ngamma\n' }];
    const { stdout } = gate.answer(input, { kind: 'accepted', files, words: 'u.txt stays.' });
    expect(JSON.parse(stdout).hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      additionalContext: 'u.txt stays.',
      updatedInput: {
        command: patch(
          '*** Update File: t.txt',
          '@@',
          '-alpha',
          '-beta',
          '-gamma',
          '+alpha',
          '+BETA',
          '+gamma',
          '*** End of File',
        ),
      },
    });
  });
});
