import { readFileSync, writeFileSync } from 'node:fs';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectClient, type McpClient } from '../../testing/mcp-client.ts';
import { type Household, temporaryHousehold } from '../../testing/program.ts';

const OLD = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
const NEW = OLD.replace('two', 'TWO').replace('eight', 'EIGHT');

let house: Household;
let file: string;
let agent: McpClient;

beforeEach(() => {
  house = temporaryHousehold();
  file = house.file('a.txt', OLD);
});

afterEach(() => agent.close());

async function begin(...args: string[]): Promise<void> {
  const line = await house.lineOf('mcp', await house.serve(...args));
  const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(line) ?? [];
  const headers = { Authorization: `Bearer ${JSON.parse(readFileSync(lock, 'utf8')).authToken}` };
  agent = await connectClient(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    'test-agent',
  );
}

const listed = async () => JSON.parse((await house.run('review', '--list', '--json')).out);

/** Proposes the new text; resolves to the id of the proposal and the answer to the agent. */
async function proposed() {
  const answer = agent.call('propose_edit', { path: 'a.txt', new_text: NEW });
  await expect.poll(() => listed()).toHaveLength(1);
  const [{ id }] = await listed();
  return { id: String(id), answer };
}

async function accepted(): Promise<void> {
  const { id, answer } = await proposed();
  expect(await house.run('review', '--accept', id, '--hunks', '1')).toMatchObject({
    out: 'hawser: accepted with changes and written\n',
  });
  await answer;
}

const onDisk = () => readFileSync(file, 'utf8');

describe('hawser review --note', () => {
  it('tells the agent what the user wants', async () => {
    await begin();
    const first = await proposed();
    const note = ['--note', '2: keep two', '--note', 'and be brief'];
    expect((await house.run('review', '--ask', first.id, ...note)).out).toBe('hawser: changes requested\n');
    expect((await first.answer).text).toContain('The user says:\n- line 2 (TWO): keep two\n- and be brief');
    const second = await proposed();
    const { previous } = JSON.parse((await house.run('review', '--show', second.id, '--json')).out);
    expect(previous).toMatchObject({ round: 1, notes: [{ text: 'keep two' }, { text: 'and be brief' }] });
    await house.run('review', '--reject', second.id, '--note', 'no');
    expect((await second.answer).text).toContain('The user says:\n- no');
  });

  it.each([
    [['--note', 'x'], '--note goes with --accept, --reject or --ask'],
    [['--ask', 'abcd'], '--ask needs a --note that says what you want'],
  ])('%j is refused', async (args, why) => {
    await begin();
    expect(await house.run('review', ...args)).toMatchObject({ code: 2, err: `hawser: ${why}\n` });
  });
});

describe('hawser log', () => {
  it('lists what was decided, shows one with its patch, and knows other folders by --all', async () => {
    await begin();
    await accepted();
    const { out } = await house.run('log');
    expect(out).toMatch(
      /^[0-9a-f]{8} {2}20..-..-.. ..:.. {2}a\.txt {2}test-agent: accepted with changes \(hawser review\)\n$/,
    );
    const [{ id, decision }] = JSON.parse((await house.run('log', '--json')).out);
    expect(decision).toBe('accepted');
    const { out: shown } = await house.run('log', '--show', id.slice(0, 8));
    expect(shown).toContain('-two\n+TWO\n');
    expect(shown).not.toContain('EIGHT');
    expect((await house.runIn(house.home, 'log', '--workspace', '/usr')).out).toBe('Nothing was decided here yet.\n');
    expect((await house.run('log', '--all', '--agent', 'another')).out).toBe('Nothing was decided here yet.\n');
    expect(await house.run('log', '--show', 'none')).toMatchObject({ code: 7 });
  });

  it('has nothing if the user wants no history', async () => {
    await begin('--history', 'off');
    await accepted();
    expect((await house.run('log')).out).toBe('Nothing was decided here yet.\n');
    expect(await house.run('undo')).toMatchObject({ code: 1, err: 'hawser: This bridge keeps no history\n' });
  });
});

describe('hawser undo', () => {
  it('proposes what takes the last change back, and keeps what was changed since', async () => {
    // What this test writes would be noticed, and be a proposal, too.
    await begin('--noticing', 'off');
    await accepted();
    writeFileSync(file, onDisk().replace('nine', 'NINE'));
    const { out } = await house.run('undo');
    expect(out).toContain(`hawser: Undo the change of ${file} by test-agent: waits for your decision`);
    const [{ id, agent: by }] = await listed();
    expect(by).toBe('hawser undo');
    expect(onDisk()).toContain('TWO');
    await house.run('review', '--accept', id);
    expect(onDisk()).toBe(OLD.replace('nine', 'NINE'));
    const nothing = 'hawser: Nothing that was accepted here can be taken back\n';
    expect(await house.run('undo')).toMatchObject({ code: 1, err: nothing });
  });

  it('--yes does it at once, and --id names another one', async () => {
    await begin();
    await accepted();
    const [{ id }] = JSON.parse((await house.run('log', '--json')).out);
    expect(await house.run('undo', '--yes', '--id', id.slice(0, 8))).toMatchObject({ code: 0 });
    expect(onDisk()).toBe(OLD);
    expect(await house.run('undo', '--id', 'none')).toMatchObject({
      code: 1,
      err: expect.stringContaining('see hawser log'),
    });
  });
});
