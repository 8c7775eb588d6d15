import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Household, PROGRAM, temporaryHousehold } from '../../testing/program.ts';

let house: Household;
let path: string;

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const TEXT = `${LINES.join('\n')}\n`;

beforeEach(() => {
  house = temporaryHousehold();
  path = join(house.workspace, 't.txt');
  writeFileSync(path, TEXT);
});

interface Hook {
  readonly child: ChildProcess;
  /** What it printed, and its exit code. */
  readonly ended: Promise<{ readonly out: string; readonly err: string; readonly code: number | null }>;
}

function hook(agent: string, input: unknown, ...args: string[]): Hook {
  const child = house.start(['gate', 'hook', agent, ...args]);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    err += data;
  });
  child.stdin?.end(typeof input === 'string' ? input : JSON.stringify(input));
  return { child, ended: once(child, 'close').then(([code]) => ({ out, err, code })) };
}

const claude = (tool_name: string, tool_input: object, more: object = {}) => ({
  session_id: 's',
  cwd: house.workspace,
  permission_mode: 'bypassPermissions',
  hook_event_name: 'PreToolUse',
  tool_name,
  tool_input,
  ...more,
});
const edit = (from = 'two', to = 'TWO') => claude('Edit', { file_path: path, old_string: from, new_string: to });

/** What Claude Code reads. */
async function answer({ ended }: Hook) {
  const { out, code } = await ended;
  expect(code).toBe(0);
  return JSON.parse(out).hookSpecificOutput;
}

/** Waits until this many proposals are open. */
async function proposals(count: number): Promise<{ id: string; path: string; revision: number; effect: string }[]> {
  for (;;) {
    const { code, out } = await house.run('review', '--list', '--json');
    const found = code === 0 ? JSON.parse(out) : [];
    if (code === 0 && found.length === count) return found;
  }
}

async function onlyProposal() {
  const [proposal] = await proposals(1);
  if (proposal === undefined) throw new Error('There is one');
  return proposal;
}

const decide = async (...args: string[]) => {
  const { id } = await onlyProposal();
  expect(await house.run('review', ...args.map((arg) => (arg === 'ID' ? id : arg)))).toMatchObject({ code: 0 });
};

describe('a change that an agent is about to make', () => {
  beforeEach(async () => void (await house.serve('--agents', 'mcp', '--noticing', 'off')));

  it('waits, and the accepted text replaces what the agent would write', async () => {
    const asked = hook('claude-code', edit());
    await decide('--accept', 'ID');
    expect(await answer(asked)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { file_path: path, old_string: TEXT, new_string: TEXT.replace('two', 'TWO'), replace_all: false },
    });
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });

  it('accepted in part is written in part, and the model learns what is missing', async () => {
    const both = TEXT.replace('two', 'TWO').replace('eleven', 'ELEVEN');
    const asked = hook('claude-code', claude('Write', { file_path: path, content: both }));
    await decide('--accept', 'ID', '--hunks', '2', '--note', 'keep two');
    const { updatedInput, additionalContext } = await answer(asked);
    expect(updatedInput).toEqual({ file_path: path, content: TEXT.replace('eleven', 'ELEVEN') });
    expect(additionalContext).toContain('-TWO\n+two');
    expect(additionalContext).toContain('keep two');
  });

  it('rejected, or sent back with notes, is refused with them', async () => {
    const first = hook('claude-code', edit());
    await decide('--reject', 'ID', '--note', 'not this file');
    const { permissionDecision, permissionDecisionReason } = await answer(first);
    expect([permissionDecision, permissionDecisionReason]).toEqual(['deny', expect.stringContaining('not this file')]);
    const second = hook('claude-code', edit());
    await decide('--ask', 'ID', '--note', '2: say it in French');
    expect((await answer(second)).permissionDecisionReason).toContain('say it in French');
  });

  it('of a file with CRLF is compared and rewritten with LF, as the agent does', async () => {
    writeFileSync(path, TEXT.replaceAll('\n', '\r\n'));
    const asked = hook('claude-code', edit());
    await decide('--accept', 'ID');
    expect((await answer(asked)).updatedInput).toMatchObject({
      old_string: TEXT,
      new_string: TEXT.replace('two', 'TWO'),
    });
  });

  it('of several files is one set, of which a part can be accepted', async () => {
    const other = join(house.workspace, 'u.txt');
    writeFileSync(other, 'gone\n');
    const command =
      '*** Begin Patch\n*** Update File: t.txt\n@@\n one\n-two\n+TWO\n*** Delete File: u.txt\n*** End Patch\n';
    const asked = hook('codex', { ...claude('apply_patch', { command }), permission_mode: 'default' });
    const open = await proposals(2);
    for (const { id, path: of } of open) {
      expect(await house.run('review', of === path ? '--accept' : '--reject', id)).toMatchObject({ code: 0 });
    }
    const { updatedInput, additionalContext } = await answer(asked);
    expect(updatedInput.command).toContain('*** Update File: t.txt');
    expect(updatedInput.command).not.toContain('u.txt');
    expect(additionalContext).toContain('rejected the change of u.txt');
  });

  it('whose result can not be known, or outside of the workspace, is shown as a call to allow or refuse', async () => {
    const odd = hook('claude-code', edit('no such text', 'x'));
    expect((await proposals(1))[0]).toMatchObject({ effect: 'command', path: house.workspace });
    await decide('--reject', 'ID');
    expect((await answer(odd)).permissionDecision).toBe('deny');
    const outside = hook('claude-code', claude('Write', { file_path: join(house.home, 'x'), content: 'x' }));
    await decide('--accept', 'ID');
    expect(await answer(outside)).toEqual({ hookEventName: 'PreToolUse', permissionDecision: 'allow' });
  });

  it('is asked about anew when its file changes meanwhile, and merged', async () => {
    const asked = hook('claude-code', edit());
    const { id } = await onlyProposal();
    const changed = TEXT.replace('twelve', 'TWELVE');
    writeFileSync(path, changed);
    let revision = 0;
    while (revision === 0) [{ revision } = { revision }] = await proposals(1);
    expect((await house.run('review', '--accept', id)).code).toBe(9);
    expect((await house.run('review', '--accept', id, '--revision', String(revision))).code).toBe(0);
    expect((await answer(asked)).updatedInput).toMatchObject({
      old_string: changed,
      new_string: changed.replace('two', 'TWO'),
    });
  });

  it('by Qwen Code, which ignores a rewritten call, is written here if it was accepted in part', async () => {
    const both = TEXT.replace('two', 'TWO').replace('eleven', 'ELEVEN');
    const input = { ...claude('write_file', { file_path: path, content: both }), permission_mode: 'yolo' };
    const asked = hook('qwen-code', input);
    await decide('--accept', 'ID', '--hunks', '2', '--note', 'keep two');
    const { permissionDecision, permissionDecisionReason } = await answer(asked);
    expect([permissionDecision, readFileSync(path, 'utf8')]).toEqual(['deny', TEXT.replace('eleven', 'ELEVEN')]);
    expect(permissionDecisionReason).toMatch(/keep two.*read the file again/s);
    const whole = hook('qwen-code', {
      ...claude('edit', { file_path: path, old_string: 'two', new_string: 'TWO' }),
      permission_mode: 'yolo',
    });
    await decide('--accept', 'ID');
    expect((await answer(whole)).permissionDecision).toBe('allow');
    expect(readFileSync(path, 'utf8')).toBe(TEXT.replace('eleven', 'ELEVEN'));
  });

  it('by Copilot CLI, which also runs a hook of Claude Code in the project, is asked about once', async () => {
    const { permission_mode: _, ...rest } = claude('Edit', { path, old_str: 'two', new_str: 'TWO' });
    const input = { ...rest, timestamp: '2026-11-18T05:53:48.357Z' };
    const asked = hook('claude-code', input);
    expect(await onlyProposal()).toMatchObject({ agent: 'copilot-cli' });
    await decide('--accept', 'ID');
    expect((await answer(asked)).updatedInput).toEqual({ path, old_str: TEXT, new_str: TEXT.replace('two', 'TWO') });
    // With a hook of its own it has asked already.
    await house.run('gate', 'on', 'copilot-cli', '--yes');
    expect(await hook('claude-code', input).ended).toEqual({ out: '', err: '', code: 0 });
  });

  it('while the user has paused is refused', async () => {
    await house.run('pause');
    const { permissionDecision, permissionDecisionReason } = await answer(hook('claude-code', edit()));
    expect([permissionDecision, permissionDecisionReason]).toEqual(['deny', expect.stringMatching(/paused/i)]);
  });
});

describe('rules of the user', () => {
  const rules = (text: string) => {
    mkdirSync(join(house.home, '.config', 'hawser'), { recursive: true });
    writeFileSync(join(house.home, '.config', 'hawser', 'rules'), text);
  };

  it('decide without asking; the log names them, and undo takes it back', async () => {
    await house.serve('--agents', 'mcp', '--noticing', 'off');
    rules('refuse *.lock\naccept *.txt if at most 1 line\n');
    const { updatedInput } = await answer(hook('claude-code', edit()));
    expect(updatedInput).toMatchObject({ new_string: TEXT.replace('two', 'TWO') });
    writeFileSync(path, updatedInput.new_string);
    const lock = claude('Write', { file_path: join(house.workspace, 'yarn.lock'), content: 'x' });
    expect((await answer(hook('claude-code', lock))).permissionDecisionReason).toContain('"refuse *.lock"');
    expect((await house.run('status')).out).toMatch(
      /^rules {6}decided 2 times; last: .*yarn.lock, by claude-code: rejected by rule/m,
    );
    expect((await house.run('log')).out).toMatch(
      /t\.txt {2}claude-code: accepted \(rule accept \*\.txt if at most 1 line\)/,
    );
    expect((await house.run('undo')).code).toBe(0);
    await decide('--accept', 'ID');
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    // Two lines are asked about.
    const both = hook('claude-code', edit('two\nthree', 'TWO\nTHREE'));
    await decide('--reject', 'ID');
    expect((await answer(both)).permissionDecision).toBe('deny');
  });

  it('do not decide where the bridge rejects everything', async () => {
    await house.serve('--agents', 'mcp', '--review', 'reject');
    rules('accept **\n');
    expect((await answer(hook('claude-code', edit()))).permissionDecision).toBe('deny');
  });

  it('are listed, for a file, too; what is wrong in them is said', async () => {
    expect((await house.run('gate', 'rules')).out).toMatch(/There are no rules.*\.config\/hawser\/rules.*accept docs/s);
    rules('accept docs/ if new\nask **\n');
    expect((await house.run('gate', 'rules')).out).toMatch(/ 1 {2}accept docs\/ if new\n +2 {2}ask \*\*/);
    expect((await house.run('gate', 'rules', 'docs/a.md', 'b')).out).toBe(
      'docs/a.md: line 1, accept docs/ if new\ndocs/a.md: line 2, ask **\nb: line 2, ask **\n',
    );
    rules('accept\n');
    expect(await house.run('gate', 'rules')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Line 1: accept what?'),
    });
    expect((await house.run('doctor')).out).toMatch(/rules.*Line 1: accept what\?/s);
  });
});

describe('without a decision nothing is let through', () => {
  const refused = async (asked: Hook, reason: string | RegExp) => {
    const { permissionDecision, permissionDecisionReason } = await answer(asked);
    expect(permissionDecision).toBe('deny');
    expect(permissionDecisionReason).toMatch(reason);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  };

  it('when nobody decides in time; the proposal goes', async () => {
    await house.serve('--agents', 'mcp');
    await refused(hook('claude-code', edit(), '--limit', '1'), 'Nobody decided in time');
    await proposals(0);
  });

  it('when the bridge is killed', async () => {
    const { child } = await house.serve('--agents', 'mcp');
    const asked = hook('claude-code', edit());
    await proposals(1);
    child.kill('SIGKILL');
    await refused(asked, 'The bridge closed the connection');
  });

  it('when the bridge is stopped', async () => {
    await house.serve('--agents', 'mcp');
    const asked = hook('claude-code', edit());
    await proposals(1);
    await house.run('stop');
    await refused(asked, /withdrawn|ended|closed/);
  });

  it.each(['no JSON', '{}', '{"tool_name":"Edit","cwd":"/","tool_input":{"file_path":1}}'])(
    'when the input is not what it knows: %s',
    async (input) => {
      await refused(hook('claude-code', input), /is not|Unexpected/);
    },
  );

  it('for an agent that it does not know; agents take this exit code for a refusal', async () => {
    const { code, err } = await hook('nobody', edit()).ended;
    expect([code, err]).toEqual([2, expect.stringContaining('no gate for nobody')]);
  });

  it('when the agent interrupts it: the proposal goes', async () => {
    await house.serve('--agents', 'mcp');
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { child, ended } = hook('claude-code', edit());
      await proposals(1);
      child.kill(signal);
      expect((await ended).out).toBe('');
      await proposals(0);
    }
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });
});

it('a hook whose agent was killed takes its proposal off the screen', async () => {
  await house.serve('--agents', 'mcp');
  // The agent: it starts the hook as agents do, through a shell.
  const start = `require('node:child_process').spawn('sh', ['-c', process.argv[1]], { stdio: ['pipe', 'inherit', 'inherit'] }).stdin.end(process.argv[2])`;
  const agent = house.startNode([
    '-e',
    `${start}; setInterval(() => {}, 1000)`,
    `exec "${process.execPath}" "${PROGRAM}" gate hook claude-code`,
    JSON.stringify(edit()),
  ]);
  await proposals(1);
  agent.kill('SIGKILL');
  await proposals(0);
});

describe('with --guard', () => {
  const input = (file: string) => claude('Write', { file_path: file, content: '{}' });

  it('the agent can not change the hooks, of whatever agent, nor the rules; the user is not asked', async () => {
    for (const file of [
      join(house.home, '.claude', 'settings.json'),
      join('.claude', 'settings.json'),
      join(house.workspace, '.opencode', '..', '.opencode', 'plugin', 'hawser.js'),
      join(house.home, '.codex', 'config.toml'),
      join(house.home, '.config', 'hawser', 'rules'),
    ]) {
      const { permissionDecision, permissionDecisionReason } = await answer(
        hook('claude-code', input(file), '--guard'),
      );
      expect([permissionDecision, permissionDecisionReason]).toEqual([
        'deny',
        expect.stringContaining("part of Hawser's gate"),
      ]);
    }
    const remove = claude('Bash', { command: 'rm .claude/settings.json' });
    expect((await answer(hook('claude-code', remove, '--guard'))).permissionDecision).toBe('deny');
  });

  it('and a link to one does not help', async () => {
    mkdirSync(join(house.workspace, '.claude'));
    symlinkSync(join(house.workspace, '.claude', 'settings.json'), join(house.workspace, 'innocent.json'));
    const asked = hook('claude-code', input(join(house.workspace, 'innocent.json')), '--guard');
    expect((await answer(asked)).permissionDecisionReason).toContain("part of Hawser's gate");
  });

  it('other files are asked about; on writes the option into the hook', async () => {
    const asked = hook('claude-code', edit(), '--guard');
    await decide('--accept', 'ID');
    expect((await answer(asked)).permissionDecision).toBe('allow');
    expect((await house.run('gate', 'on', 'claude', '--guard', '--yes')).out).toContain(
      'gate hook claude-code --guard',
    );
  });
});

describe('two hooks for one call', () => {
  beforeEach(async () => void (await house.serve('--agents', 'mcp', '--noticing', 'off')));

  it('ask once, and both get the answer; one that ends does not withdraw it', async () => {
    const hooks = [hook('claude-code', edit()), hook('claude-code', edit()), hook('claude-code', edit())];
    // Each is waited for: the third ends once all have asked.
    const { id } = await onlyProposal();
    hooks[2]?.child.kill('SIGTERM');
    await hooks[2]?.ended;
    expect(await house.run('review', '--accept', id)).toMatchObject({ code: 0 });
    for (const asked of hooks.slice(0, 2)) expect((await answer(asked)).permissionDecision).toBe('allow');
  });

  it('one after the other ask once: what was accepted is not asked about again', async () => {
    const first = hook('claude-code', edit());
    await decide('--accept', 'ID');
    const { updatedInput } = await answer(first);
    expect((await answer(hook('claude-code', claude('Edit', updatedInput)))).permissionDecision).toBe('allow');
  });
});

describe('without a bridge', () => {
  it('the hook is one until the user has decided', async () => {
    const asked = hook('claude-code', edit());
    await decide('--accept', 'ID');
    expect((await answer(asked)).permissionDecision).toBe('allow');
    expect((await house.run('status')).code).toBe(6);
    expect(existsSync(join(house.home, '.claude', 'ide'))).toBe(false);
  });

  it('what changes nothing is answered at once, with nothing', async () => {
    const asked = hook('claude-code', claude('Read', { file_path: path }));
    expect(await asked.ended).toEqual({ out: '', err: '', code: 0 });
  });
});

describe('hawser gate', () => {
  const settings = () => join(house.home, '.claude', 'settings.json');

  it('shows the change and makes it with --yes, once; off takes it back', async () => {
    mkdirSync(join(house.home, '.claude'));
    const mine = '{\n  // mine\n  "theme": "dark"\n}\n';
    writeFileSync(settings(), mine);
    const { code, out } = await house.run('gate', 'on', 'claude', '--yes', '--limit', '600');
    expect([code, out]).toEqual([0, expect.stringContaining('+            "onFailure": "block"')]);
    const written = readFileSync(settings(), 'utf8');
    expect(written).toContain('// mine');
    expect(written).toMatch(/"command": "exec .* gate hook claude-code --limit 600"/);
    expect((await house.run('gate', 'on', 'claude', '--yes', '--limit', '600')).out).toContain('is as it should be');
    expect((await house.run('gate')).out).toMatch(/claude-code +on +.*settings\.json/);
    await house.run('gate', 'off', 'claude', '--yes');
    expect(readFileSync(settings(), 'utf8')).toBe(mine);
    expect((await house.run('gate')).out).toMatch(/claude-code +off +hawser gate on claude$/m);
  });

  it('in the project, and with shell commands', async () => {
    await house.run('gate', 'on', 'claude-code', 'codex', '--project', '--shell', 'ask', '--yes');
    const own = readFileSync(join(house.workspace, '.claude', 'settings.json'), 'utf8');
    expect(JSON.parse(own).hooks.PreToolUse[0].matcher).toContain('Bash');
    const hooks = join(house.workspace, '.codex', 'hooks.json');
    expect(existsSync(hooks)).toBe(true);
    // Codex notes in this file that its user trusts a hook.
    expect((await house.run('gate')).out).toMatch(/codex +untrusted .*\n.*trust the hook when it asks/s);
    mkdirSync(join(house.home, '.codex'));
    const trusted = `[hooks.state."${hooks}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:0"\n`;
    writeFileSync(join(house.home, '.codex', 'config.toml'), trusted);
    expect((await house.run('gate')).out).toMatch(/codex +on /);
    expect((await house.run('doctor')).out).toMatch(/ok +Claude Code gate +on: /);
    expect(existsSync(settings())).toBe(false);
  });

  it('in the project of a bridge is not taken for a change of the agent that is connected', async () => {
    const { line } = await house.serve('--agents', 'claude-code');
    await house.agent(line);
    const noticed = async () => (await house.run('review', '--list')).out;
    let count = 0;
    const noticedAgain = () => {
      count += 1;
      writeFileSync(path, `${count}\n`);
      return noticed();
    };
    // Until files are watched.
    await expect.poll(noticedAgain).toContain('t.txt');
    await house.run('gate', 'on', 'claude', '--project', '--yes');
    writeFileSync(join(house.workspace, 'later.txt'), 'by an agent\n');
    await expect.poll(noticed).toContain('later.txt');
    expect(await noticed()).not.toContain('settings.json');
  });

  it('is a file of its own for opencode, which off removes; a file of somebody else stays', async () => {
    const plugin = join(house.workspace, '.opencode', 'plugin', 'hawser.js');
    await house.run('gate', 'on', 'opencode', '--project', '--yes');
    expect(readFileSync(plugin, 'utf8')).toContain('"gate","hook","opencode"');
    expect((await house.run('gate')).out).toMatch(/opencode +on +.*hawser\.js/);
    expect((await house.run('gate', 'off', 'opencode', '--project', '--yes')).out).toContain('removed');
    expect(existsSync(plugin)).toBe(false);
    writeFileSync(plugin, '// mine\n');
    expect(await house.run('gate', 'on', 'opencode', '--project', '--yes')).toMatchObject({ code: 1 });
    await house.run('gate', 'off', 'opencode', '--project', '--yes');
    expect(readFileSync(plugin, 'utf8')).toBe('// mine\n');
  });

  it('is shadowed where a setting of the agent keeps it from running hooks; the project comes first', async () => {
    await house.run('gate', 'on', 'claude-code', '--yes');
    const off = (path: string, value: boolean) => {
      const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
      writeFileSync(path, JSON.stringify({ ...before, disableAllHooks: value }));
    };
    off(settings(), true);
    const { out } = await house.run('gate');
    expect(out).toMatch(/claude-code +shadowed .*disableAllHooks in .*settings\.json is true/s);
    expect((await house.run('doctor')).out).toMatch(/Claude Code gate +shadowed: /);
    mkdirSync(join(house.workspace, '.claude'));
    off(join(house.workspace, '.claude', 'settings.json'), false);
    expect((await house.run('gate')).out).toMatch(/claude-code +on /);
  });

  it('changes nothing without a yes, or for an agent that it does not know', async () => {
    expect(await house.run('gate', 'on', 'claude')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(existsSync(settings())).toBe(false);
    expect(await house.run('gate', 'on', 'cluade')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean claude?'),
    });
    expect(await house.run('gate', 'on')).toMatchObject({ code: 2 });
    expect(await house.run('gate', 'maybe')).toMatchObject({ code: 2 });
  });

  it('leaves a file that it can not read as it is', async () => {
    mkdirSync(join(house.home, '.claude'));
    writeFileSync(settings(), '{ broken');
    expect(await house.run('gate', 'on', 'claude', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('was not changed'),
    });
    expect((await house.run('gate')).out).toContain('unknown');
  });
});
