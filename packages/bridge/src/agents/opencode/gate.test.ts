import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { refusalIn, withReplaced } from '../../../testing/hook-answers.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { describeGate } from '../../gate.contract.ts';
import { parsePatch } from '../gate-parts/patch.ts';
import { gate } from './gate.ts';
import { pluginText } from './plugin.ts';

// What the plugin gives the hook: opencode's own arguments in the form of the other agents.
const call = (tool_name: string, tool_input: object) => ({
  session_id: 'ses_1',
  cwd: '/project',
  tool_name,
  tool_input,
});
const edit = { filePath: '/project/t.txt', oldString: 'beta', newString: 'BETA' };
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

describeGate('opencode', {
  agent: 'opencode',
  gate,
  edits: {
    '1.18.33': call('edit', edit),
    '1.18.33, all of them': call('edit', { ...edit, replaceAll: true }),
    '1.18.33, of a model with patches': call('apply_patch', {
      patchText: patch('*** Update File: t.txt', '@@', ' alpha', '-beta', '+BETA'),
    }),
  },
  newFile: call('write', { filePath: '/project/n.txt', content: 'new one\n' }),
  shell: call('bash', { command: 'echo x', description: 'x' }),
  held: {
    after: { ...call('bash', { command: 'echo x', description: 'x' }), hook_event_name: 'PostToolUse' },
    unheld: [],
    command: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.updatedInput.command,
    told: ({ stdout }) => JSON.parse(stdout).hookSpecificOutput.additionalContext,
  },
  ignored: [call('read', { filePath: '/project/t.txt' })],
  run: ({ stdout }, files) => {
    const { filePath, content, oldString, newString, patchText } = JSON.parse(stdout).hookSpecificOutput.updatedInput;
    if (patchText !== undefined) {
      const [change] = parsePatch(patchText);
      if (change === undefined) throw new Error('The patch changes a file');
      return new Map([[change.path, change.apply(files.get(change.path)) as string]]);
    }
    if (content !== undefined) return new Map([...files, [filePath, content]]);
    return withReplaced(files, filePath, oldString, newString);
  },
  refusal: refusalIn,
});

describe('the plugin for opencode', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Loads the plugin with a hook that is this shell script, and gives what this code prints. */
  function runPlugin(script: string, code: string): string {
    const hook = join(folder, 'hook');
    writeFileSync(hook, `#!/bin/sh\n${script}\n`);
    chmodSync(hook, 0o700);
    writeFileSync(join(folder, 'hawser.mjs'), pluginText([hook], ['edit'], ['bash']));
    const main = `import { Hawser } from './hawser.mjs';
      const plugin = await Hawser({ directory: ${JSON.stringify(folder)} });
      const output = { args: { filePath: 'a' } };
      const before = (tool = 'edit') => plugin['tool.execute.before']({ tool, sessionID: 's', callID: 'c' }, output)
        .then(() => console.log('runs', JSON.stringify(output.args)), ({ message }) => console.log('refused:', message));
      ${code}`;
    writeFileSync(join(folder, 'main.mjs'), main);
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' });
    return stdout + stderr;
  }
  const answer = (output: object) => `cat > /dev/null; echo '${JSON.stringify({ hookSpecificOutput: output })}'`;

  it('changes the arguments, and adds what the model is to read to the result', () => {
    const allowed = answer({
      permissionDecision: 'allow',
      updatedInput: { newString: 'x' },
      additionalContext: 'Note',
    });
    const code = `await before();
      const result = { output: 'Done' };
      await plugin['tool.execute.after']({ callID: 'c' }, result);
      console.log(JSON.stringify(result.output));`;
    expect(runPlugin(allowed, code)).toBe('runs {"filePath":"a","newString":"x"}\n"Done\\n\\nNote"\n');
  });

  it.each([
    ['a refusal', answer({ permissionDecision: 'deny', permissionDecisionReason: 'Not now' }), 'refused: Not now'],
    ['a hook that fails', 'cat > /dev/null; exit 1', 'refused: Hawser ended with exit code 1'],
    ['a hook that says something else', 'cat > /dev/null; echo hello', 'refused: '],
    ['an answer without a decision', 'cat > /dev/null; echo {}', 'refused: '],
  ])('%s keeps the tool from running', (_what, script, printed) => {
    expect(runPlugin(script, 'await before();')).toContain(printed);
  });

  it.each(['session.error', 'session.idle'])('%s ends the wait: the tool does not run', (type) => {
    const code = `const waits = before();
      await plugin.event({ event: { type: '${type}', properties: { sessionID: 'other' } } });
      await plugin.event({ event: { type: '${type}', properties: { sessionID: 's' } } });
      await waits;`;
    expect(runPlugin('exec sleep 60', code)).toBe('refused: Interrupted. Nothing was changed.\n');
  });

  it('adds what the hook after a command says to its result', () => {
    const told = answer({ hookEventName: 'PostToolUse', additionalContext: 'Kept: a.' });
    const code = `const result = { output: 'Done' };
      await plugin['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c', args: { command: 'ls' } }, result);
      console.log(JSON.stringify(result.output));`;
    expect(runPlugin(told, code)).toBe('"Done\\n\\nKept: a."\n');
    expect(runPlugin('cat > /dev/null', code)).toBe('"Done"\n');
    expect(runPlugin('cat > /dev/null; exit 1', code)).toContain('Done\\n\\nHawser ended with exit code 1');
  });

  it('leaves other tools alone', () => {
    expect(runPlugin('exit 1', "await before('read');")).toBe('runs {"filePath":"a"}\n');
  });
});
