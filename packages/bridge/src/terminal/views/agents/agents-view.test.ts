import { beforeEach, describe, expect, it } from 'vitest';
import { type BridgeUnderTest, openBridgeUnderTest } from '../../../../testing/open-bridge.ts';
import { shownView } from '../../../../testing/shown-view.ts';
import type { Status } from '../../../control/calls.ts';
import type { AgentFacts } from '../../facts.ts';
import { agoOf } from './agent-items.ts';
import { AgentsView } from './agents-view.ts';

let stage: BridgeUnderTest;

beforeEach(async () => {
  stage = await openBridgeUnderTest();
});

const guides = async (folder: string) => [
  { name: 'some', title: 'Some Agent', steps: ['Start it in the workspace.'], text: `cd ${folder}\nagent` },
  { name: 'claude', title: 'Claude Code', steps: [], text: 'claude' },
  { name: 'absent', title: 'Absent Agent', steps: [], text: 'absent' },
  { name: 'here', title: 'Agent Here', steps: [], text: 'here' },
];

const agentFacts = (name: string, installed: boolean, connected: AgentFacts['connected'] = []): AgentFacts => ({
  name,
  displayName: name,
  command: `hawser run ${name}`,
  installed,
  review: { kind: 'no', sentence: `${name} writes by itself.`, todo: 'Do this.' },
  connected,
});
const facts = ({ agents }: Status) => [
  agentFacts('absent', false),
  agentFacts('here', true),
  agentFacts(
    'claude',
    true,
    agents.flatMap(({ clients }) => clients),
  ),
];

const shown = (size?: { columns: number; rows: number }) =>
  shownView((screen) => new AgentsView({ screen, bridge: stage.client, guides, facts }), size);

describe('the agents view', () => {
  it('shows each agent with its version, state, calls and last activity, and whether its changes are reviewed', async () => {
    const agent = await stage.agent();
    await agent.callRaw('getOpenEditors');
    const { view, at } = shown();
    const row = /claude-code 2\.1\.325 +connected +no +1 +\d+ s ago/;
    await at.sees((screen) => row.test(screen));
    expect(view.badge).toBe('1');
    expect(at.screen).toContain(
      'claude writes by itself.\nDo this.\nConnected as claude-code-1, through the claude-code',
    );
  });

  it('connected agents come first, then how to connect the installed ones, the others, and editors', async () => {
    const { at } = shown();
    const names = async (count: number) => {
      const isListed = (screen: string) => screen.match(/hawser (run|connect) /g)?.length === count;
      const screen = await at.sees((text) => isListed(text.split('To connect')[0] ?? '') || isListed(text));
      return screen.split('\n').flatMap((line) => /^[> ] (\S+ \S+) .*(?:hawser|ago)/.exec(line)?.[1] ?? []);
    };
    expect(await names(4)).toEqual(['Claude Code', 'Agent Here', 'Absent Agent', 'Some Agent']);
    expect(at.screen).toMatch(/ {2}Agent Here +installed +no +hawser run here\n/);
    expect(at.screen).toMatch(/ {2}Absent Agent +not installed +no +hawser connect absent\n/);
    await stage.agent();
    await at.sees('connected');
    expect(await names(3)).toEqual(['claude-code 2.1.325', 'Agent Here', 'Absent Agent', 'Some Agent']);
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
    await at.sees('> Claude Code');
    await stage.agent();
    await at.sees((screen) => /^> claude-code 2/m.test(screen));
  });

  it('after the chosen agent has gone, d does not hit another one', async () => {
    const [first] = [await stage.agent(), await stage.agent()];
    const { at } = shown();
    await at.sees('> claude-code');
    at.press('g');
    first.close();
    await at.sees('> Agent Here');
    at.press('d');
    await at.sees('Choose a connected agent first.');
  });

  it('shows how an agent connects, and copies it through the terminal', async () => {
    const { at } = shown();
    await at.sees('To connect Claude Code');
    at.press('G');
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
