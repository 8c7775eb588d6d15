import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { type Household, PROGRAM, temporaryHousehold } from '../../../bridge/testing/program.ts';
import { shellLine, type TmuxScreen } from '../../../bridge/testing/tmux.ts';

const SERVER = fileURLToPath(new URL('../../testing/asking-server.mjs', import.meta.url));

let house: Household;

beforeEach(() => {
  house = temporaryHousehold();
});

async function open(...args: string[]): Promise<TmuxScreen> {
  const server = `node ${SERVER} ${join(house.home, 'log')}`;
  return await house.screen(shellLine([process.execPath, PROGRAM, ...args, '--stdio', server]));
}

it('a question of the server is asked until the answer fits', async () => {
  const terminal = await open('call', 'book');
  await terminal.shows('The server asks: A table?\nAnswer? [Y/n]');
  await terminal.press('Ada', 'Enter');
  await terminal.shows('Answer y or n.');
  await terminal.press('y', 'Enter');
  await terminal.shows('Your name (string):');
  await terminal.press('Ada', 'Enter');
  await terminal.shows('seats (integer):');
  await terminal.press('two', 'Enter');
  await terminal.shows('seats: expected integer, got two');
  await terminal.press('2', 'Enter');
  await terminal.shows('meal ("fish" | "soup", optional) [soup]:');
  await terminal.press('Enter');
  await terminal.shows('extras (("bread" | "salt")[], separated by commas, optional):');
  await terminal.press('sald', 'Enter');
  await terminal.shows('extras: sald is not one of bread, salt. Did you mean salt?');
  await terminal.press('salt', 'Enter');
  const accepted = '{"action":"accept","content":{"meal":"soup","name":"Ada","seats":2,"extras":["salt"]}}';
  await terminal.shows((text) => text.replaceAll('\n', '').includes(accepted) && text.includes('ended 0'));
});

it('progress is drawn, and Ctrl-C cancels the call on the server, which the terminal does not end', async () => {
  const terminal = await open('call', 'wait');
  await terminal.shows('[#####---------------]  25 % a quarter');
  await terminal.press('C-c');
  const text = await terminal.shows('ended 130');
  expect(text).not.toContain('a quarter');
  expect(readFileSync(join(house.home, 'log'), 'utf8')).toContain('"notifications/cancelled"');
});

it('the shell completes tools and arguments, cancels a call, and remembers what was typed', async () => {
  const terminal = await open('shell');
  await terminal.shows(/^>/m);
  // One by one: a Tab among other keys is taken as pasted.
  const completed = async (key: string, typed: RegExp, line: RegExp) => {
    await terminal.press(key);
    await terminal.shows(typed);
    await terminal.press('Tab');
    await terminal.shows(line);
  };
  await completed('w', /^> w$/m, /^> wait$/m);
  await completed('m', /^> wait m$/m, /^> wait mode=$/m);
  await completed('s', /^> wait mode=s$/m, /^> wait mode=slow$/m);
  await terminal.press('Tab');
  await terminal.shows(/mode=slow\s+mode=slower/);
  await terminal.press('Enter');
  await terminal.shows('a quarter');
  await terminal.press('C-c');
  await terminal.shows('Cancelled.');
  await terminal.press('announce', 'Enter');
  await terminal.shows('custom/happened {"what":"tea"}');
  await terminal.shows('announced');
  await terminal.press('C-d');
  await terminal.shows('ended 0');
  const history = join(house.home, '.local', 'state', 'hawser', 'shell-history');
  expect(readFileSync(history, 'utf8')).toBe('wait mode=slow\nannounce\n');
  expect(statSync(history).mode & 0o777).toBe(0o600);
  const again = await open('shell');
  await again.shows(/^>/m);
  await again.press('Up', 'Up');
  await again.shows('> wait mode=slow');
  await again.press('C-c');
  await again.shows(/^>$/m);
  await again.press('C-c');
  await again.shows('ended 0');
});
