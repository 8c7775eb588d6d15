import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../../testing/agent.ts';
import { type BridgeUnderTest, openBridgeUnderTest } from '../../../../testing/open-bridge.ts';
import { shownView } from '../../../../testing/shown-view.ts';
import type { TrafficEntry } from '../../../traffic/traffic.ts';
import { parseFilter } from './traffic-filter.ts';
import { TrafficRing } from './traffic-ring.ts';
import { TrafficView } from './traffic-view.ts';

const ESCAPE = '\x1b';

const entry = (number: number, given: Partial<TrafficEntry> = {}): TrafficEntry => ({
  number,
  time: 0,
  adapter: 'claude-code',
  client: { id: 'claude-code-1', name: 'Claude' },
  direction: 'received',
  kind: 'request',
  method: 'tools/call',
  message: { params: { name: 'openDiff' } },
  characters: 100,
  ...given,
});

describe('the traffic view', () => {
  let stage: BridgeUnderTest;
  let agent: Agent;

  beforeEach(async () => {
    stage = await openBridgeUnderTest();
    agent = await stage.agent();
  });

  /** On the screen, after an agent has called a tool with a secret. */
  async function recorded() {
    const made = shownView((screen) => new TrafficView({ screen, bridge: stage.client, folder: stage.folder }));
    // What was said before the view was opened.
    await made.at.sees('answer initialize');
    await made.at.sees('answer ping');
    made.at.press('x');
    await made.at.sees('No messages yet');
    await agent.callRaw('getOpenEditors', { apiKey: 'abc', text: 'first\nsecond' });
    await made.at.sees('answer tools/call');
    return made.at;
  }

  it('shows messages in both directions as they pass, and follows them', async () => {
    const at = await recorded();
    expect(at.screen).toMatch(/ in {2}claude-code +tools\/call {2}getOpenEditors/);
    expect(at.screen).toMatch(/^> .* out claude-code +answer tools\/call/m);
    expect(at.screen).toContain('2 messages, following');
  });

  it('shows one message as JSON, its texts in lines, without its secrets', async () => {
    const at = await recorded();
    at.press('k\r');
    const screen = await at.sees('"method": "tools/call"');
    expect(screen).toContain('"apiKey": "[redacted]"');
    expect(screen).toMatch(/"text": "first\n +second"/);
    at.press(ESCAPE);
    await at.sees('2 messages');
  });

  it('stays where it is once the user moves up, until f follows again', async () => {
    const at = await recorded();
    at.press('k');
    await at.sees('not following: f follows');
    await agent.settled();
    const screen = await at.sees('4 messages');
    expect(screen).toMatch(/^> .*getOpenEditors/m);
    at.press('f');
    await at.sees((text) => /^> .*answer ping/m.test(text));
  });

  it('filters by direction, agent, method and text, and Esc shows all again', async () => {
    const at = await recorded();
    await agent.settled();
    await at.sees('answer ping');
    at.press('/out method:ping\r');
    await at.sees('1 of 4: out method:ping');
    at.press(ESCAPE);
    await at.sees('4 messages');
    at.press('d');
    await at.sees('2 of 4: in');
    at.press('da');
    await at.sees('2 of 4: agent:claude-code-1 out');
  });

  it('saves what is listed for the user alone, and never overwrites a file', async () => {
    const at = await recorded();
    at.press('s\r');
    const path = join(stage.folder, 'hawser-traffic.jsonl');
    await at.sees('Saved 2 messages to');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).direction)).toEqual(['received', 'sent']);
    expect(lines.join('')).not.toContain('abc');
    writeFileSync(path, 'mine');
    at.press('s');
    await at.sees('to hawser-traffic-2.jsonl');
    at.press('\x15hawser-traffic.jsonl\r');
    await at.sees('exists already; choose another name');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    at.press('s\r');
    await at.sees(join(stage.folder, 'hawser-traffic-2.jsonl'));
  });

  it('what it saves is not taken for a change of the agent that is connected', async () => {
    const at = await recorded();
    const isNoticed = async (name: string) =>
      (await stage.client.list()).some(({ path }) => path === join(stage.folder, name));
    let count = 0;
    const noticedAgain = () => {
      count += 1;
      stage.file('early.txt', `${count}\n`);
      return isNoticed('early.txt');
    };
    // Until files are watched. A file is looked at when it has not changed for a while.
    await expect.poll(noticedAgain, { interval: 600 }).toBe(true);
    at.press('s\r');
    await at.sees('Saved 2 messages to');
    stage.file('later.txt', 'by the agent\n');
    await expect.poll(() => isNoticed('later.txt')).toBe(true);
    expect(await isNoticed('hawser-traffic.jsonl')).toBe(false);
  });

  it('x forgets all messages', async () => {
    const at = await recorded();
    at.press('x');
    await at.sees('No messages yet');
  });
});

describe('parseFilter', () => {
  it.each([
    ['', true],
    ['in', true],
    ['out', false],
    ['agent:claude', true],
    ['agent:codex', false],
    ['method:TOOLS', true],
    ['method:ping', false],
    ['opendiff', true],
    ['in opendiff method:call', true],
    ['opendiff out', false],
  ])('%s', (filter, isShown) => {
    expect(parseFilter(filter)(entry(1))).toBe(isShown);
  });
});

describe('TrafficRing', () => {
  it('forgets the oldest when there are more characters than its limit, and counts them', () => {
    const ring = new TrafficRing(250);
    expect(ring.add([entry(1), entry(2)], 3)).toBe(0);
    expect(ring.add([entry(3), entry(4)], 0)).toBe(2);
    expect([ring.entries.map(({ number }) => number), ring.lost]).toEqual([[3, 4], 5]);
    ring.add([entry(5, { characters: 1000 })], 0);
    expect(ring.entries).toEqual([]);
  });
});
