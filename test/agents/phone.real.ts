import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PHONE, reviewedWorkspaces } from '../../packages/bridge/testing/review-page.ts';
import { isWanted } from './all.ts';
import { CHANGED, gated, PROMPT, textOf } from './gated.ts';
import { install } from './install.ts';
import { LINES, TEXT } from './lines.ts';
import { ScriptedModel } from './scripted-model.ts';
import { endGroup, runUnattended } from './unattended.ts';

// The real Claude Code in a mode in which it does not ask, and a user who decides on a phone.

const reviewed = reviewedWorkspaces();

const claude = gated.find(({ modes }) => modes.bypassPermissions !== undefined);
if (claude === undefined) throw new Error('Claude Code has such a mode');
const { agent, modes, env, edit } = claude;

describe.skipIf(!isWanted(agent))(`a change of ${agent.title} ${agent.version}`, () => {
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
    const words = [...(modes.bypassPermissions ?? []), PROMPT];
    const run = await runUnattended({ agent, env }, { program, house: household, model }, words, edit(path));
    try {
      await page.getByRole('heading', { name: 'a.txt' }).waitFor({ timeout: 120_000 });
      expect(readFileSync(path, 'utf8')).toBe(TEXT);
      await page.getByRole('button', { name: button, exact: true }).tap();
      if (button !== 'Accept') {
        await page.getByRole('button', { name: 'Reject hunk 1' }).tap();
        await page.getByRole('button', { name: 'Send 1 of 2 hunks' }).tap();
      }
      await run.ended;
      expect(readFileSync(path, 'utf8')).toBe(result);
      await page.getByText('No change waits for you.').waitFor();
    } finally {
      endGroup(run);
      await model.close();
    }
  });
});
