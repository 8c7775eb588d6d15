import { expect, it, vi } from 'vitest';
import type { Agent, OpenAdapter } from '../agent.ts';
import { CONNECTING_AGENTS, DEFAULT_AGENTS } from '../agents/agents.ts';
import { howToReach } from './how-to-reach.ts';

// An agent more, that comes before all others by its name.
vi.mock('../agents/all.ts', async (original) => {
  const all = await original<typeof import('../agents/all.ts')>();
  const other: Agent = all.geminiCli;
  return { ...all, amp: { ...other, name: 'amp', title: 'Amp' } };
});

const opened = (name: string, port: number): OpenAdapter => ({
  name,
  endpoints: [`ws://127.0.0.1:${port}/`],
  discoveryFiles: [`/home/u/${port}.lock`],
  environment: {},
  clients: () => [],
  removeDiscovery: () => {},
  close: async () => {},
});
const environment = { home: '/home/u', cwd: '/home/u', variables: {} };

it('the address and the lock file of a bridge are those that its plugins know, whatever other agents are called', () => {
  expect(CONNECTING_AGENTS[0]?.name).toBe('amp');
  const agents = [opened('amp', 1), opened('claude-code', 2)];
  expect(howToReach(agents, environment)).toMatchObject({ address: 'ws://127.0.0.1:2/', lock: '/home/u/2.lock' });
  expect(DEFAULT_AGENTS.slice(0, 2)).toEqual(['claude-code', 'amp']);
});

it('how agents are started is plain values, which any editor can be sent', () => {
  const { launches } = howToReach([], environment);
  expect(launches).toMatchObject({ claude: { asking: { flag: '--permission-mode=default' } } });
  expect(JSON.parse(JSON.stringify(launches))).toEqual(launches);
});

it('without that adapter they are those of the first one', () => {
  expect(howToReach([opened('mcp', 3), opened('amp', 1)], environment)).toMatchObject({ lock: '/home/u/3.lock' });
  expect(howToReach([], environment)).toEqual({ launches: expect.anything() });
});
