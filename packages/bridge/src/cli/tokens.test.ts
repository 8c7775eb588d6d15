import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryHousehold } from '../../testing/program.ts';

it('hawser tokens --renew: the next start has another token, and a bridge that runs is named', async () => {
  const home = temporaryHousehold();
  const serve = async () => {
    const { line } = await home.serve();
    const { discoveryFiles } = JSON.parse((await home.run('status', '--json')).out).agents[0];
    return { line, token: JSON.parse(readFileSync(discoveryFiles[0], 'utf8')).authToken as string };
  };
  const first = await serve();
  expect((await home.run('tokens')).out).toContain('claude-code');
  expect((await home.run('tokens')).out).not.toContain(first.token);
  await home.run('stop');
  const second = await serve();
  expect(second.token).toBe(first.token);
  const renewed = await home.run('tokens', '--renew');
  expect(renewed.out).toContain('forgotten');
  expect(renewed.out).toContain(`The bridge for ${home.workspace}`);
  await home.run('stop');
  expect((await serve()).token).not.toBe(first.token);
});
