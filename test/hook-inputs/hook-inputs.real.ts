import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentCalled } from '../../packages/bridge/src/agents/agents.ts';
import { Household, PROGRAM } from '../../packages/bridge/testing/program.ts';
import { gated } from '../agents/gated.ts';
import { install } from '../agents/install.ts';
import type { RealAgent } from '../agents/real-agent.ts';
import { ScriptedModel } from '../agents/scripted-model.ts';
import type { Turn } from '../agents/turn.ts';

// What the real agents give their hook before two calls: `beta` becomes `BETA` in t.txt, and n.txt is made. A version that
// is older than the one of the other tests, and that one. Run by `npm run test:real -- hook-inputs`.

const OLDER: Readonly<Record<string, string>> = {
  claude: '2.1.306',
  codex: '0.162.0',
  gemini: '0.59.0',
  // 0.21.2 runs no hooks.
  qwen: '0.24.0',
  copilot: '1.0.79-6',
  opencode: '1.18.4',
};
const TEXT = 'alpha\nbeta\ngamma\ndelta\n';
const NEW = 'new one\n';
const [FROM, TO] = ['beta', 'BETA'];
const patch = (...lines: string[]): Turn => ({
  use: 'apply_patch',
  input: `*** Begin Patch\n${lines.join('\n')}\n*** End Patch\n`,
});

const TURNS: Readonly<Record<string, (path: string, made: string) => readonly Turn[]>> = {
  claude: (file_path, made) => [
    { use: 'Read', input: { file_path } },
    { use: 'Edit', input: { file_path, old_string: FROM, new_string: TO } },
    { use: 'Write', input: { file_path: made, content: NEW } },
  ],
  codex: () => [
    patch('*** Update File: t.txt', '@@', ' alpha', '-beta', '+BETA', ' gamma'),
    patch('*** Add File: n.txt', '+new one'),
  ],
  gemini: (file_path, made) => [
    { use: 'replace', input: { file_path, instruction: 'In capitals.', old_string: FROM, new_string: TO } },
    { use: 'write_file', input: { file_path: made, content: NEW } },
  ],
  qwen: (file_path, made) => [
    { use: 'read_file', input: { file_path } },
    { use: 'edit', input: { file_path, old_string: FROM, new_string: TO } },
    { use: 'write_file', input: { file_path: made, content: NEW } },
  ],
  copilot: (path, made) => [
    { use: 'edit', input: { path, old_str: FROM, new_str: TO } },
    { use: 'create', input: { path: made, file_text: NEW } },
  ],
  opencode: (filePath, made) => [
    { use: 'read', input: { filePath } },
    { use: 'edit', input: { filePath, oldString: FROM, newString: TO } },
    { use: 'write', input: { filePath: made, content: NEW } },
  ],
};

/** Keeps what it is given, and decides nothing. */
const RECORDER = `let input = '';
process.stdin.setEncoding('utf8').on('data', (part) => { input += part; }).on('end', () => {
  require('node:fs').appendFileSync(process.env.RECORDED, JSON.stringify(JSON.parse(input)) + '\\n');
});
`;

const wanted = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');
const isRecording = process.env.HAWSER_RECORD === '1';
const agents = new Map(gated.map((each) => [each.agent.name, each]));

for (const { agent, modes, env } of [...agents.values()].toReversed()) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue;
  const adapter = agentCalled(agent.name)?.name ?? '';
  const file = join(import.meta.dirname, '../../packages/bridge/src/agents', adapter, 'hook-inputs.json');
  const args = Object.values(gated.find((each) => each.agent === agent)?.modes ?? modes).at(-1) ?? [];

  describe(agent.title, () => {
    it.each([OLDER[agent.name] ?? '', agent.version])(
      '%s gives its hook what is recorded',
      { timeout: 600_000 },
      async (version) => {
        const inputs = await recorded({ ...agent, version }, args, env);
        expect(inputs).toHaveLength(2);
        const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
        if (isRecording) writeFileSync(file, `${JSON.stringify({ ...kept, [version]: inputs }, null, 2)}\n`);
        else expect(inputs.map(shapeOf)).toEqual(kept[version].map(shapeOf));
      },
    );
  });
}

/** The inputs of the hook, with other folders. */
async function recorded(
  agent: RealAgent,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  // Another version has a folder of its own.
  const program = await install({
    ...agent,
    name: agent.version === OLDER[agent.name] ? `${agent.name}-${agent.version}` : agent.name,
  });
  const house = new Household();
  const model = await ScriptedModel.open();
  const [recorder, kept] = [join(house.home, 'recorder.cjs'), join(house.home, 'recorded.jsonl')];
  try {
    writeFileSync(join(house.workspace, 't.txt'), TEXT);
    writeFileSync(recorder, RECORDER);
    writeFileSync(kept, '');
    spawn('git', ['init', '--quiet', house.workspace]);
    const own = agent.start({ home: house.home, workspace: house.workspace, modelUrl: model.url });
    const { out } = await house.run('gate', 'on', agent.name, '--yes');
    const [, hooks = ''] = /wrote (\S+)/.exec(out) ?? [];
    writeFileSync(hooks, readFileSync(hooks, 'utf8').replaceAll(PROGRAM, recorder));
    const turns = TURNS[agent.name]?.(join(house.workspace, 't.txt'), join(house.workspace, 'n.txt')) ?? [];
    model.script([...turns, { say: 'Done.' }]);
    const child = spawn(program, [...args, 'please go on'], {
      cwd: house.workspace,
      env: {
        ...house.env,
        ...own.env,
        ...more,
        RECORDED: kept,
        HTTPS_PROXY: model.url,
        NO_PROXY: 'localhost,127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => {
        printed += data;
      });
    await once(child, 'exit');
    if (model.received.length < turns.length) console.log(printed);
    const text = readFileSync(kept, 'utf8').replaceAll(house.workspace, '/project').replaceAll(house.home, '/home/me');
    const inputs = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    // What runs after a tool is not asked.
    return inputs.filter(({ hook_event_name: event }) => !String(event).startsWith('After'));
  } finally {
    await model.close();
    await house.dispose();
  }
}

/** The names of members, and what kind of values they have. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
