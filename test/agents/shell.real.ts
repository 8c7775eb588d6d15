import { describe, expect, it } from 'vitest';
import { isWanted } from './all.ts';
import { PROMPT } from './gated.ts';
import { LINES, TEXT } from './lines.ts';
import { type ShellCheck, shells } from './shells.ts';
import { unattended } from './unattended.ts';
import './table-reporter.ts';

// Shell commands of the real agents, shown and held: run by `npm run test:real -- agents`.

const COMMAND = "sed -i 's/^two$/TWO/; s/^eleven$/ELEVEN/' a.txt; echo ran; grep TWO a.txt; exit 3";

for (const { agent, modes, env, shell, tellsPrompts } of shells) {
  if (!isWanted(agent)) continue;

  describe.each(Object.entries(modes))(
    `shell commands of ${agent.title} ${agent.version}, %s`,
    { timeout: 120_000 },
    (mode, { args, unheld }) => {
      const subject = { agent, env };
      const { house, path, text, told, ...rest } = unattended(subject, '--agents', 'mcp', '--noticing', 'off');
      const of = (shellCheck: ShellCheck) => ({ meta: { shellCheck, agent: agent.name, shellMode: mode } });

      async function start(how: 'ask' | 'hold' | 'allow', times = 1): Promise<unknown> {
        const turns = Array.from({ length: times }, () => shell(COMMAND));
        return (await rest.start([...args, PROMPT], turns, '--shell', how)).ended;
      }

      const proposal = async () =>
        JSON.parse((await house().run('review', '--show', await rest.proposal(), '--json')).out);

      it('shown: it runs after the user has allowed it', of('shown'), async () => {
        const ended = start('ask');
        const { id, effect, newText, path: place } = await proposal();
        expect([effect, newText, place, text()]).toEqual(['command', COMMAND, house().workspace, TEXT]);
        await house().run('review', '--accept', id);
        await ended;
        expect(text()).toContain('TWO');
      });

      it('shown: refused, and the model reads why', of('shown'), async () => {
        const ended = start('ask');
        const { id } = await proposal();
        await house().run('review', '--reject', id, '--note', 'by hand, please');
        await ended;
        expect([text(), told()]).toEqual([TEXT, expect.stringContaining('by hand, please')]);
      });

      it('after the turn: what it changed without asking is taken back', of('after'), async () => {
        await start('allow');
        expect(text()).toContain('TWO');
        const { out } = await house().run('review', '--since', '--list');
        const when = tellsPrompts ? 'got a prompt' : 'the bridge started';
        expect(out).toMatch(new RegExp(`1 file has changed since .*${when}`));
        await house().run('review', '--reject', (await proposal()).id);
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
          const { id, path: place } = await proposal();
          expect([place, text()]).toEqual([path(), TEXT]);
          await house().run('review', '--accept', id, '--hunks', '2', '--note', 'two stays');
          await ended;
          expect(text()).toBe(`${LINES.with(10, 'ELEVEN').join('\n')}\n`);
          expect(told()).toContain('two stays');
          expect(told()).toMatch(/ran\\n.{0,6}TWO/);
        },
      );
    },
  );
}
