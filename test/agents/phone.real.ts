import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PHONE, reviewedWorkspaces } from '../../packages/bridge/testing/review-page.ts';
import { CHANGED, END, gated, PROMPT, textOf } from './gated.ts';
import { install } from './install.ts';
import { LINES, TEXT } from './lines.ts';
import { ScriptedModel } from './scripted-model.ts';

// The real Claude Code in a mode in which it does not ask, and a user who decides on a phone.

const wanted = (process.env.HAWSER_AGENTS ?? '').split(',').filter((name) => name !== '');
const reviewed = reviewedWorkspaces();

const claude = gated.find(({ modes }) => modes.bypassPermissions !== undefined);
if (claude === undefined) throw new Error('Claude Code has such a mode');
const { agent, modes, env, edit } = claude;

describe.skipIf(wanted.length > 0 && !wanted.includes(agent.name))(
  `a change of ${agent.title} ${agent.version}`,
  () => {
    it.each([
      ['accepted', 'Accept', textOf(CHANGED)],
      ['accepted in part', 'Accept hunk 2', textOf(LINES.with(10, 'ELEVEN'))],
    ])('is %s on a phone', { timeout: 600_000 }, async (_, button, result) => {
      const program = await install(agent);
      const workspace = reviewed();
      const { household } = workspace;
      const model = await ScriptedModel.open();
      const path = join(household.workspace, 'a.txt');
      writeFileSync(path, TEXT);
      await household.serve();
      const page = await workspace.open(PHONE);
      model.script([...edit(path), { say: END }]);
      const own = agent.start({ home: household.home, workspace: household.workspace, modelUrl: model.url });
      expect(await household.run('gate', 'on', agent.name, '--yes')).toMatchObject({ code: 0 });
      const child = spawn(program, [...(modes.bypassPermissions ?? []), PROMPT], {
        cwd: household.workspace,
        env: { ...household.env, ...own.env, ...env, HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit');
      try {
        await page.getByRole('heading', { name: 'a.txt' }).waitFor({ timeout: 120_000 });
        expect(readFileSync(path, 'utf8')).toBe(TEXT);
        await page.getByRole('button', { name: button, exact: true }).tap();
        if (button !== 'Accept') {
          await page.getByRole('button', { name: 'Reject hunk 1' }).tap();
          await page.getByRole('button', { name: 'Send 1 of 2 hunks' }).tap();
        }
        await ended;
        expect(readFileSync(path, 'utf8')).toBe(result);
        await page.getByText('No change waits for you.').waitFor();
      } finally {
        child.kill();
        await model.close();
      }
    });
  },
);
