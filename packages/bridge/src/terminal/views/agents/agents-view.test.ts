import { beforeEach, describe, expect, it } from 'vitest';
import { type BridgeUnderTest, openBridgeUnderTest } from '../../../../testing/open-bridge.ts';
import { shownView } from '../../../../testing/shown-view.ts';
import { AgentsView, agoOf } from './agents-view.ts';

let stage: BridgeUnderTest;

beforeEach(async () => {
  stage = await openBridgeUnderTest();
});

const guides = async (folder: string) => [
  { title: 'Some Agent', steps: ['Start it in the workspace.'], text: `cd ${folder}\nagent` },
];

const shown = () => shownView((screen) => new AgentsView({ screen, bridge: stage.client, guides }));

describe('the agents view', () => {
  it('shows each agent with its version, state, calls and last activity', async () => {
    const agent = await stage.agent();
    await agent.callRaw('getOpenEditors');
    const { view, at } = shown();
    const row = /claude-code 2\.1\.325 +claude-code +ready +1 +\d+ s ago/;
    await at.sees((screen) => row.test(screen));
    expect(view.badge).toBe('1');
    expect(at.screen).toContain(`listens at ${stage.bridge.agents[0]?.endpoints[0]}`);
    expect(at.screen).toContain(`found by   ${stage.bridge.agents[0]?.discoveryFiles[0]}`);
  });

  it('d asks, and y disconnects the chosen agent alone', async () => {
    const [first, second] = [await stage.agent(), await stage.agent()];
    const { at } = shown();
    await at.sees('> claude-code');
    at.press('d');
    await at.sees('Disconnect claude-code (claude-code-1)?');
    at.press('n');
    await at.sees((screen) => !screen.includes('Disconnect claude-code'));
    await first.settled();
    at.press('d');
    await at.sees('Disconnect claude-code (claude-code-1)?');
    at.press('y');
    await at.sees('claude-code is disconnected; it may connect again.');
    await first.closed;
    await second.settled();
  });

  it('the first agent that connects is chosen, unless the user chose something', async () => {
    const { at } = shown();
    await at.sees('> Some Agent');
    await stage.agent();
    await at.sees((screen) => /^> claude-code 2/m.test(screen));
  });

  it('after the chosen agent has gone, d does not hit another one', async () => {
    const [first] = [await stage.agent(), await stage.agent()];
    const { at } = shown();
    await at.sees('> claude-code');
    at.press('g');
    first.close();
    await at.sees('> Some Agent: how to connect');
    at.press('d');
    await at.sees('Choose a connected agent first.');
  });

  it('shows how an agent connects, and copies it through the terminal', async () => {
    const { at } = shown();
    await at.sees('To connect Some Agent');
    expect(at.screen).toContain(`Start it in the workspace.\n    cd ${stage.folder}\n    agent`);
    at.press('c');
    await at.sees('Copied, if the terminal allows it.');
    expect(at.output).toContain(`\x1b]52;c;${Buffer.from(`cd ${stage.folder}\nagent`).toString('base64')}\x07`);
  });
});

describe('agoOf', () => {
  it.each([
    [undefined, 'never'],
    [0, '0 s ago'],
    [-5000, '0 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_600_000, '1 h ago'],
  ])('%s ms', (ms, words) => {
    const now = Date.parse('2026-01-01T12:00:00Z');
    expect(agoOf(ms === undefined ? undefined : new Date(now - ms).toISOString(), now)).toBe(words);
  });
});
