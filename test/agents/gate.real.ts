import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { opencode } from './agents/opencode.ts';
import { qwenCode } from './agents/qwen-code.ts';
import { isWanted } from './all.ts';
import { CHANGED, type GateCheck, gated, PROMPT, textOf } from './gated.ts';
import { LINES, TEXT } from './lines.ts';
import type { Turn } from './turn.ts';
import { unattended } from './unattended.ts';
import './table-reporter.ts';

// The gate with the real agents from npm: run by `npm run test:real -- agents`. They run without a terminal, so nobody
// but the gate can ask.

for (const { agent, modes, env, edit, write } of gated) {
  if (!isWanted(agent)) continue;

  describe.each(Object.entries(modes))(
    `the gate of ${agent.title} ${agent.version}, %s`,
    { timeout: 120_000 },
    (mode, args) => {
      const {
        house,
        model,
        bridge,
        path,
        text,
        told,
        proposal,
        start: startWith,
      } = unattended({ agent, env }, '--agents', 'mcp');
      afterEach(({ task }) => void Object.assign(task.meta, { agent: agent.name, mode }));
      const of = (gateCheck: GateCheck) => ({ meta: { gateCheck } });
      const start = (turns: readonly Turn[], ...gate: string[]) => startWith([...args, PROMPT], turns, ...gate);

      async function noProposal(): Promise<void> {
        for (;;) if ((await house().run('review', '--list', '--json')).out.trim() === '[]') return;
      }

      const decide = async (option: string, ...more: string[]) =>
        expect(await house().run('review', option, await proposal(), ...more)).toMatchObject({ code: 0 });

      it('accepted: the agent writes it', of('accepted'), async () => {
        const { ended } = await start(edit(path()));
        const id = await proposal();
        expect(text()).toBe(TEXT);
        await house().run('review', '--accept', id);
        await ended;
        expect(text()).toBe(textOf(CHANGED));
      });

      it('accepted in part: the agent writes that part, and the model learns it', of('inPart'), async () => {
        const { ended } = await start(edit(path()));
        await decide('--accept', '--hunks', '2', '--note', 'two stays');
        await ended;
        expect(text()).toBe(textOf(LINES.with(10, 'ELEVEN')));
        expect(told()).toContain('two stays');
      });

      it('a new file is written as it was accepted', of('newFile'), async () => {
        const file = join(house().workspace, 'n.txt');
        const { ended } = await start(write(file, 'new one\nnew two\n'));
        await decide('--accept');
        await ended;
        expect(readFileSync(file, 'utf8')).toBe('new one\nnew two\n');
      });

      it('sent back for changes: nothing is written, and the model reads the notes', of('asked'), async () => {
        const { ended } = await start(edit(path()));
        await decide('--ask', '--note', 'in French, please');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('in French, please')]);
      });

      it('rejected: nothing is written, and the model reads why', of('rejected'), async () => {
        const { ended } = await start(edit(path()));
        await decide('--reject', '--note', 'not this file');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('not this file')]);
      });

      it('undecided at the limit: nothing is written, and the model reads why', of('undecided'), async () => {
        const { ended } = await start(edit(path()), '--limit', '2');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('Nobody decided in time')]);
      });

      it('the bridge is killed while it waits: nothing is written', of('killed'), async () => {
        const { ended } = await start(edit(path()));
        await proposal();
        bridge().kill('SIGKILL');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining("Hawser's gate blocks changes")]);
      });

      it('the agent is interrupted: the proposal goes, and nothing is written', of('interrupted'), async () => {
        const { child, ended } = await start(edit(path()));
        await proposal();
        process.kill(-(child.pid ?? 0), 'SIGINT');
        await ended;
        await noProposal();
        expect(text()).toBe(TEXT);
      });

      if (agent === qwenCode) {
        it('undecided for as long as it waits: the same call again gets the decision', async () => {
          const turns = edit(path());
          const { ended } = await start([...turns, ...turns.slice(-1)]);
          const id = await proposal();
          await model().asked(turns.length + 1);
          expect([text(), told()]).toEqual([TEXT, expect.stringContaining('still reviewing')]);
          expect(await house().run('review', '--accept', id)).toMatchObject({ code: 0 });
          await ended;
          expect(text()).toBe(textOf(CHANGED));
        });
      }

      if (agent === opencode) {
        it('its turn is interrupted, and it runs on: the proposal goes', async () => {
          const { child } = await startWith(['serve', '--port', '0'], edit(path()));
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
    },
  );
}
