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
import './table-reporter.ts';

// The gate with the real agents from npm: run by `npm run test:real -- agents`. They run without a terminal, so nobody
// but the gate can ask.

interface GatedAgent {
  readonly agent: RealAgent;
  /** Arguments by mode; the prompt follows. */
  readonly modes: Readonly<Record<string, readonly string[]>>;
  readonly env: Readonly<Record<string, string>>;
  /** The turns by which its model changes the second and the eleventh line. */
  readonly edit: (path: string) => readonly Turn[];
  /** The same for a new file. */
  readonly write: (path: string, text: string) => readonly Turn[];
}

const CHANGED = LINES.with(1, 'TWO').with(10, 'ELEVEN');
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const END = 'That was all.';
const PROMPT = 'please go on';

/** One that Codex knows: others get no tool for patches. */
const CODEX_MODEL = ['--model', 'gpt-5.5'];

/** The lines from the first to the last that change. */
const FROM = LINES.slice(1, 11).join('\n');
const TO = CHANGED.slice(1, 11).join('\n');

/** The turns of a model whose tool takes patches. */
const patches: Pick<GatedAgent, 'edit' | 'write'> = {
  edit: () => [
    {
      use: 'apply_patch',
      input:
        '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n@@\n ten\n-eleven\n+ELEVEN\n twelve\n*** End Patch\n',
    },
  ],
  write: (_path, text) => {
    const lines = text.trimEnd().split('\n');
    const added = lines.map((line) => `+${line}\n`).join('');
    return [{ use: 'apply_patch', input: `*** Begin Patch\n*** Add File: n.txt\n${added}*** End Patch\n` }];
  },
};

const gated: readonly GatedAgent[] = [
  {
    agent: claudeCode,
    modes: {
      default: ['--permission-mode', 'default', '-p'],
      bypassPermissions: ['--permission-mode', 'bypassPermissions', '-p'],
    },
    // It refuses to bypass permissions as root elsewhere.
    env: { IS_SANDBOX: '1' },
    edit: (file_path) => [
      { use: 'Read', input: { file_path } },
      {
        use: 'Edit',
        input: { file_path, old_string: FROM, new_string: TO },
      },
    ],
    write: (file_path, content) => [{ use: 'Write', input: { file_path, content } }],
  },
  {
    agent: codex,
    modes: {
      'workspace-write': ['exec', ...CODEX_MODEL, '--dangerously-bypass-hook-trust', '--sandbox', 'workspace-write'],
      'full access': [
        'exec',
        ...CODEX_MODEL,
        '--dangerously-bypass-hook-trust',
        '--dangerously-bypass-approvals-and-sandbox',
      ],
    },
    env: {},
    ...patches,
  },
  {
    agent: geminiCli,
    // In its default mode it has no tools that change files when it runs without a terminal.
    modes: { 'auto-edit': ['--approval-mode', 'auto_edit', '-p'], yolo: ['--yolo', '-p'] },
    env: {},
    edit: (file_path) => [
      {
        use: 'replace',
        input: { file_path, instruction: 'In capitals.', old_string: FROM, new_string: TO },
      },
    ],
    write: (file_path, content) => [{ use: 'write_file', input: { file_path, content } }],
  },
  {
    agent: copilotCli,
    modes: { default: ['-p'], '--allow-all': ['--allow-all', '-p'] },
    env: {},
    edit: (path) => [{ use: 'edit', input: { path, old_str: FROM, new_str: TO } }],
    write: (path, file_text) => [{ use: 'create', input: { path, file_text } }],
  },
  {
    agent: copilotCli,
    modes: { '--allow-all, with patches': ['--allow-all', '-p'] },
    env: { COPILOT_MODEL: 'gpt-5.5' },
    ...patches,
  },
  {
    agent: opencode,
    // Edits are allowed by default.
    modes: { default: ['run'], '--auto': ['run', '--auto'] },
    env: {},
    edit: (filePath) => [
      { use: 'read', input: { filePath } },
      { use: 'edit', input: { filePath, oldString: FROM, newString: TO } },
    ],
    write: (filePath, content) => [{ use: 'write', input: { filePath, content } }],
  },
  {
    agent: qwenCode,
    // In its default mode it asks itself, and without a terminal it refuses then.
    modes: { 'auto-edit': ['--approval-mode', 'auto-edit', '-p'], yolo: ['--yolo', '-p'] },
    env: {},
    edit: (file_path) => [
      { use: 'read_file', input: { file_path } },
      { use: 'edit', input: { file_path, old_string: FROM, new_string: TO } },
    ],
    write: (file_path, content) => [{ use: 'write_file', input: { file_path, content } }],
  },
];

const wanted = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');

for (const { agent, modes, env, edit, write } of gated) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue;

  describe.each(Object.entries(modes))(
    `the gate of ${agent.title} ${agent.version}, %s`,
    { timeout: 120_000 },
    (_mode, args) => {
      let program: string;
      let house: Household;
      let model: ScriptedModel;
      let bridge: ChildProcess;
      let path: string;
      let groups: number[];

      beforeAll(async () => {
        program = await install(agent);
      }, 600_000);

      beforeEach(async () => {
        groups = [];
        house = new Household();
        model = await ScriptedModel.open();
        path = join(house.workspace, 'a.txt');
        writeFileSync(path, TEXT);
        spawn('git', ['init', '--quiet', house.workspace]);
        ({ child: bridge } = await house.serve('--agents', 'mcp'));
      });

      afterEach(async ({ task }) => {
        Object.assign(task.meta, { agent: agent.name, isOfGate: true });
        for (const group of groups) endGroup(group);
        await house.dispose();
        await model.close();
      });

      interface Run {
        readonly child: ChildProcess;
        readonly ended: Promise<unknown>;
      }

      const start = (turns: readonly Turn[], ...gate: string[]) => startWith([...args, PROMPT], turns, ...gate);

      async function startWith(words: readonly string[], turns: readonly Turn[], ...gate: string[]): Promise<Run> {
        model.script([...turns, { say: END }]);
        const { home, workspace } = house;
        const own = agent.start({ home, workspace, modelUrl: model.url });
        expect(await house.run('gate', 'on', agent.name, '--yes', ...gate)).toMatchObject({ code: 0 });
        const child = spawn(program, words, {
          cwd: workspace,
          env: { ...house.env, ...own.env, ...env, HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' },
          stdio: ['ignore', 'pipe', 'pipe'],
          // A group of its own, as in a terminal: Ctrl-C reaches everything that it has started.
          detached: true,
        });
        groups.push(child.pid ?? 0);
        const printed: string[] = [];
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => printed.push(String(data)));
        const ended = once(child, 'exit');
        // An agent that has not played its script says why.
        void ended.then(() => model.received.length < turns.length && console.log(printed.join('')));
        return { child, ended };
      }

      /** The one open proposal, when it is there. */
      async function proposal(): Promise<string> {
        for (;;) {
          const { code, out } = await house.run('review', '--list', '--json');
          const [first] = code === 0 ? JSON.parse(out) : [];
          if (first !== undefined) return first.id;
        }
      }

      async function noProposal(): Promise<void> {
        for (;;) if ((await house.run('review', '--list', '--json')).out.trim() === '[]') return;
      }

      const decide = async (option: string, ...more: string[]) =>
        expect(await house.run('review', option, await proposal(), ...more)).toMatchObject({ code: 0 });
      const text = () => readFileSync(path, 'utf8');
      /** What the model has read after its call. */
      const told = () => model.received.at(-1) ?? '';

      it('accepted: the agent writes it', async () => {
        const { ended } = await start(edit(path));
        const id = await proposal();
        expect(text()).toBe(TEXT);
        await house.run('review', '--accept', id);
        await ended;
        expect(text()).toBe(textOf(CHANGED));
      });

      it('accepted in part: the agent writes that part, and the model learns it', async () => {
        const { ended } = await start(edit(path));
        await decide('--accept', '--hunks', '2', '--note', 'two stays');
        await ended;
        expect(text()).toBe(textOf(LINES.with(10, 'ELEVEN')));
        expect(told()).toContain('two stays');
      });

      it('a new file is written as it was accepted', async () => {
        const file = join(house.workspace, 'n.txt');
        const { ended } = await start(write(file, 'new one\nnew two\n'));
        await decide('--accept');
        await ended;
        expect(readFileSync(file, 'utf8')).toBe('new one\nnew two\n');
      });

      it('sent back for changes: nothing is written, and the model reads the notes', async () => {
        const { ended } = await start(edit(path));
        await decide('--ask', '--note', 'in French, please');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('in French, please')]);
      });

      it('rejected: nothing is written, and the model reads why', async () => {
        const { ended } = await start(edit(path));
        await decide('--reject', '--note', 'not this file');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('not this file')]);
      });

      it('undecided at the limit: nothing is written, and the model reads why', async () => {
        const { ended } = await start(edit(path), '--limit', '2');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('Nobody decided in time')]);
      });

      it('the bridge is killed while it waits: nothing is written', async () => {
        const { ended } = await start(edit(path));
        await proposal();
        bridge.kill('SIGKILL');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining("Hawser's gate lets no change through")]);
      });

      it('the agent is interrupted: the proposal goes, and nothing is written', async () => {
        const { child, ended } = await start(edit(path));
        await proposal();
        process.kill(-(child.pid ?? 0), 'SIGINT');
        await ended;
        await noProposal();
        expect(text()).toBe(TEXT);
      });

      if (agent === qwenCode) {
        it('undecided for as long as it waits: the same call again gets the decision', async () => {
          const turns = edit(path);
          const { ended } = await start([...turns, ...turns.slice(-1)]);
          const id = await proposal();
          await model.asked(turns.length + 1);
          expect([text(), told()]).toEqual([TEXT, expect.stringContaining('still reviewing')]);
          expect(await house.run('review', '--accept', id)).toMatchObject({ code: 0 });
          await ended;
          expect(text()).toBe(textOf(CHANGED));
        });

        if (agent === opencode) {
          it('its turn is interrupted, and it runs on: the proposal goes', async () => {
            const { child } = await startWith(['serve', '--port', '0'], edit(path));
            const url = await new Promise<string>((resolve) => {
              let out = '';
              child.stdout?.on('data', (data) => {
                out += data;
                const [found] = /http:\/\/\S+(?=\s)/.exec(out) ?? [];
                if (found !== undefined) resolve(found);
              });
            });
            const post = async (of: string, body: object) => {
              const headers = { 'Content-Type': 'application/json' };
              const response = await fetch(`${url}${of}`, { method: 'POST', headers, body: JSON.stringify(body) });
              expect(response.ok).toBe(true);
              return await response.text();
            };
            const { id } = JSON.parse(await post('/session', {}));
            await post(`/session/${id}/prompt_async`, { parts: [{ type: 'text', text: PROMPT }] });
            await proposal();
            await post(`/session/${id}/abort`, {});
            await noProposal();
            expect([text(), child.exitCode]).toEqual([TEXT, null]);
          });
        }
      }
    },
  );
}

/** Ends what is left of an agent and what it has started. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
