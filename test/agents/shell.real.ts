import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Household } from '../../packages/bridge/testing/program.ts';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { copilotCli } from './agents/copilot-cli.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import { install } from './install.ts';
import type { RealAgent } from './real-agent.ts';
import { ScriptedModel } from './scripted-model.ts';
import { LINES, TEXT } from './stage.ts';
import type { Turn } from './turn.ts';

// Shell commands of the real agents, shown and held: run by `npm run test:real -- agents`.

interface ShellAgent {
  readonly agent: RealAgent;
  /** Arguments by mode; the prompt follows. `unheld`: why commands can't be held in it, and are shown. */
  readonly modes: Readonly<Record<string, { readonly args: readonly string[]; readonly unheld?: RegExp }>>;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: (command: string) => Turn;
}

const CODEX = ['exec', '--model', 'gpt-5.5', '--dangerously-bypass-hook-trust'];
const agents: readonly ShellAgent[] = [
  {
    agent: claudeCode,
    modes: {
      // It asks about commands itself then, so one is allowed that does not depend on what it is.
      default: { args: ['--permission-mode', 'default', '--allowedTools', 'Bash', '-p'] },
      bypassPermissions: { args: ['--permission-mode', 'bypassPermissions', '-p'] },
    },
    env: { IS_SANDBOX: '1' },
    shell: (command) => ({ use: 'Bash', input: { command, description: 'A change' } }),
  },
  {
    agent: codex,
    modes: {
      'workspace-write': { args: [...CODEX, '--sandbox', 'workspace-write'], unheld: /own sandbox/ },
      'full access': { args: [...CODEX, '--dangerously-bypass-approvals-and-sandbox'] },
    },
    env: {},
    shell: (cmd) => ({ use: 'exec_command', input: { cmd } }),
  },
  {
    agent: geminiCli,
    modes: {
      'auto-edit': { args: ['--approval-mode', 'auto_edit', '--allowed-tools', 'run_shell_command', '-p'] },
      yolo: { args: ['--yolo', '-p'] },
    },
    env: {},
    shell: (command) => ({ use: 'run_shell_command', input: { command, description: 'A change' } }),
  },
  {
    agent: copilotCli,
    modes: { default: { args: ['--allow-tool', 'shell', '-p'] }, '--allow-all': { args: ['--allow-all', '-p'] } },
    env: {},
    shell: (command) => ({ use: 'bash', input: { command, description: 'A change' } }),
  },
  {
    agent: opencode,
    modes: { default: { args: ['run'] }, '--auto': { args: ['run', '--auto'] } },
    env: {},
    shell: (command) => ({ use: 'bash', input: { command, description: 'A change' } }),
  },
  {
    agent: qwenCode,
    modes: { yolo: { args: ['--yolo', '-p'], unheld: /hook can't/ } },
    env: {},
    shell: (command) => ({
      use: 'run_shell_command',
      input: { command, description: 'A change', is_background: false },
    }),
  },
];

const COMMAND = "sed -i 's/^two$/TWO/; s/^eleven$/ELEVEN/' a.txt; echo ran; grep TWO a.txt; exit 3";
const END = 'That was all.';
const wanted = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');

for (const { agent, modes, env, shell } of agents) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue;

  describe.each(Object.entries(modes))(
    `shell commands of ${agent.title} ${agent.version}, %s`,
    { timeout: 120_000 },
    (_mode, { args, unheld }) => {
      let program: string;
      let house: Household;
      let model: ScriptedModel;
      let agents: ChildProcess[];

      beforeAll(async () => {
        program = await install(agent);
      }, 600_000);

      beforeEach(async () => {
        agents = [];
        house = new Household();
        model = await ScriptedModel.open();
        writeFileSync(join(house.workspace, 'a.txt'), TEXT);
        await once(spawn('git', ['init', '--quiet', house.workspace]), 'exit');
        await house.serve('--agents', 'mcp', '--noticing', 'off');
      });

      afterEach(async () => {
        for (const child of agents) if (child.exitCode === null) child.kill('SIGKILL');
        await house.dispose();
        await model.close();
      });

      async function start(how: 'ask' | 'hold'): Promise<unknown> {
        model.script([shell(COMMAND), { say: END }]);
        const { home, workspace } = house;
        const own = agent.start({ home, workspace, modelUrl: model.url });
        expect(await house.run('gate', 'on', agent.name, '--yes', '--shell', how)).toMatchObject({ code: 0 });
        const child = spawn(program, [...args, 'please go on'], {
          cwd: workspace,
          env: { ...house.env, ...own.env, ...env, HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        agents.push(child);
        const printed: string[] = [];
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => printed.push(String(data)));
        const ended = once(child, 'exit');
        // An agent that has not played its script says why.
        void ended.then(() => model.received.length < 2 && console.log(printed.join('')));
        return ended;
      }

      async function proposal() {
        for (;;) {
          const { code, out } = await house.run('review', '--list', '--json');
          const [first] = code === 0 ? JSON.parse(out) : [];
          if (first !== undefined) return JSON.parse((await house.run('review', '--show', first.id, '--json')).out);
        }
      }

      const text = () => readFileSync(join(house.workspace, 'a.txt'), 'utf8');
      const told = () => model.received.at(-1) ?? '';

      it('shown: it runs after the user has allowed it', async () => {
        const ended = start('ask');
        const { id, effect, newText, path } = await proposal();
        expect([effect, newText, path, text()]).toEqual(['command', COMMAND, house.workspace, TEXT]);
        await house.run('review', '--accept', id);
        await await ended;
        expect(text()).toContain('TWO');
      });

      it('shown: refused, and the model reads why', async () => {
        const ended = start('ask');
        const { id } = await proposal();
        await house.run('review', '--reject', id, '--note', 'by hand, please');
        await await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('by hand, please')]);
      });

      it('held: what it changes is reviewed, its output is as it is, and the model reads what was kept', async () => {
        const ended = start('hold');
        const { id, effect, advice, path } = await proposal();
        if (unheld !== undefined) {
          expect([effect, advice]).toEqual(['command', expect.stringMatching(unheld)]);
          return;
        }
        expect([path, text()]).toEqual([join(house.workspace, 'a.txt'), TEXT]);
        await house.run('review', '--accept', id, '--hunks', '2', '--note', 'two stays');
        await await ended;
        expect(text()).toBe(`${LINES.with(10, 'ELEVEN').join('\n')}\n`);
        expect(told()).toContain('two stays');
        expect(told()).toMatch(/ran\\n.{0,6}TWO/);
      });
    },
  );
}
