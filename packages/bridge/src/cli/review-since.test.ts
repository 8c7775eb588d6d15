import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Household, temporaryHousehold } from '../../testing/program.ts';

let house: Household;
let path: string;

beforeEach(() => {
  house = temporaryHousehold();
  path = join(house.workspace, 'a.txt');
  writeFileSync(path, 'before the bridge\n');
});

const idIn = (out: string) => /^([0-9a-f]{8}) /m.exec(out)?.[1] ?? '';

it('what has changed since a prompt is listed, kept or taken back', async () => {
  await house.serve('--agents', 'mcp', '--noticing', 'off');
  writeFileSync(path, 'before the prompt\n');
  const hook = house.start(['gate', 'hook', 'claude-code']);
  hook.stdin?.end(JSON.stringify({ hook_event_name: 'UserPromptSubmit', cwd: house.workspace, prompt: 'go' }));
  expect(await once(hook, 'close')).toEqual([0, null]);
  writeFileSync(path, 'by the agent\n');
  const { code, out } = await house.run('review', '--since', '--list');
  expect([code, out]).toEqual([0, expect.stringMatching(/1 file has changed since .*, when claude-code got a prompt/)]);
  expect(await house.run('review', '--reject', idIn(out))).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe('before the prompt\n');
});

it('the user can have the workspace remembered, and is told when nothing has changed since', async () => {
  await house.serve('--agents', 'mcp', '--noticing', 'off');
  writeFileSync(path, 'mine\n');
  expect(await house.run('review', '--mark')).toMatchObject({ code: 0 });
  const { code, out } = await house.run('review', '--since', '--list');
  expect([code, out]).toEqual([0, expect.stringMatching(/no text has changed since .*, when you asked for it/)]);
});

it('without a bridge it says so, and a prompt is never refused', async () => {
  expect(await house.run('review', '--since')).toMatchObject({
    code: 6,
    err: expect.stringContaining('No bridge serves'),
  });
  const hook = house.start(['gate', 'hook', 'codex']);
  let printed = '';
  hook.stdout?.on('data', (data) => {
    printed += data;
  });
  hook.stdin?.end(JSON.stringify({ hook_event_name: 'UserPromptSubmit', cwd: house.workspace }));
  expect([await once(hook, 'close'), printed]).toEqual([[0, null], '']);
});

it.each([
  [['--since', '--show', 'abcd'], '--since goes with --list'],
  [['--mark', '--list'], '--mark stands alone'],
])('%j is a mistake', async (args, message) => {
  expect(await house.run('review', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});
