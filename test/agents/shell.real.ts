import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Household } from '../../packages/bridge/testing/program.ts';
import { install } from './install.ts';
import { LINES, TEXT } from './lines.ts';
import { ScriptedModel } from './scripted-model.ts';
import { type ShellCheck, shells } from './shells.ts';
import './table-reporter.ts';

// Shell commands of the real agents, shown and held: run by `npm run test:real -- agents`.

const COMMAND = "sed -i 's/^two$/TWO/; s/^eleven$/ELEVEN/' a.txt; echo ran; grep TWO a.txt; exit 3";
const END = 'That was all.';
const wanted = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');

for (const { agent, modes, env, shell, tellsPrompts } of shells) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue;

  describe.each(Object.entries(modes))(
    `shell commands of ${agent.title} ${agent.version}, %s`,
    { timeout: 120_000 },
    (mode, { args, unheld }) => {
      let program: string;
      let house: Household;
      let model: ScriptedModel;
      let running: ChildProcess[];

      beforeAll(async () => {
        program = await install(agent);
      }, 600_000);

      beforeEach(async () => {
        running = [];
        house = new Household();
        model = await ScriptedModel.open();
        writeFileSync(join(house.workspace, 'a.txt'), TEXT);
        await once(spawn('git', ['init', '--quiet', house.workspace]), 'exit');
        await house.serve('--agents', 'mcp', '--noticing', 'off');
      });

      const of = (shellCheck: ShellCheck) => ({ meta: { shellCheck, agent: agent.name, shellMode: mode } });

      afterEach(async () => {
        for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
        await house.dispose();
        await model.close();
      });

      async function start(how: 'ask' | 'hold' | 'allow', times = 1): Promise<unknown> {
        model.script([...Array.from({ length: times }, () => shell(COMMAND)), { say: END }]);
        const { home, workspace } = house;
        const own = agent.start({ home, workspace, modelUrl: model.url });
        expect(await house.run('gate', 'on', agent.name, '--yes', '--shell', how)).toMatchObject({ code: 0 });
        const child = spawn(program, [...args, 'please go on'], {
          cwd: workspace,
          env: { ...house.env, ...own.env, ...env, HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        running.push(child);
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

      it('shown: it runs after the user has allowed it', of('shown'), async () => {
        const ended = start('ask');
        const { id, effect, newText, path } = await proposal();
        expect([effect, newText, path, text()]).toEqual(['command', COMMAND, house.workspace, TEXT]);
        await house.run('review', '--accept', id);
        await ended;
        expect(text()).toContain('TWO');
      });

      it('shown: refused, and the model reads why', of('shown'), async () => {
        const ended = start('ask');
        const { id } = await proposal();
        await house.run('review', '--reject', id, '--note', 'by hand, please');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('by hand, please')]);
      });

      it('after the turn: what it changed without asking is taken back', of('after'), async () => {
        await start('allow');
        expect(text()).toContain('TWO');
        const { out } = await house.run('review', '--since', '--list');
        const when = tellsPrompts ? 'got a prompt' : 'the bridge started';
        expect(out).toMatch(new RegExp(`1 file has changed since .*${when}`));
        await house.run('review', '--reject', (await proposal()).id);
        expect(text()).toBe(TEXT);
      });

      if (unheld !== undefined) {
        it('held: it can not be, so it is shown, with the reason', of('held'), async ({ task }) => {
          void start('hold', 2);
          const { effect, advice } = await proposal();
          expect([effect, advice]).toEqual(['command', expect.stringMatching(unheld)]);
          task.meta.limit = 'shown instead';
        });
        return;
      }

      it(
        'held: what it changes is reviewed, its output is as it is, and the model reads what was kept',
        of('held'),
        async () => {
          const ended = start('hold');
          const { id, path } = await proposal();
          expect([path, text()]).toEqual([join(house.workspace, 'a.txt'), TEXT]);
          await house.run('review', '--accept', id, '--hunks', '2', '--note', 'two stays');
          await ended;
          expect(text()).toBe(`${LINES.with(10, 'ELEVEN').join('\n')}\n`);
          expect(told()).toContain('two stays');
          expect(told()).toMatch(/ran\\n.{0,6}TWO/);
        },
      );
    },
  );
}
