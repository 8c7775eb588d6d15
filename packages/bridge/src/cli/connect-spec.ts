import { AGENTS, calledName } from '../agents/agents.ts';
import type { BridgeCommand } from './command.ts';
import type { ConnectFlags } from './connect.ts';

/** The agents and editors that `hawser connect` knows. */
const NAMES = AGENTS.filter(({ guide }) => guide !== undefined)
  .map(calledName)
  .toSorted();

export const connectSpec: BridgeCommand = {
  name: 'connect',
  argument: 'agent',
  choices: NAMES,
  description: 'say how to connect an agent or another editor, or configure it',
  options: [
    { name: 'workspace', short: 'w', value: 'dir', description: 'the folder of project files', default: '.' },
    { name: 'write', description: 'write it into the configuration file, keeping what is there' },
    { name: 'dry-run', description: 'show the change that --write would make' },
  ],
  notes: `The agent is one of ${NAMES.join(', ')}.`,
  run: async (flags, agent, environment) => {
    const { connect } = await import('./connect.ts');
    connect(agent, flags as unknown as ConnectFlags, environment);
  },
};
