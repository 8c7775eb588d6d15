import { AGENTS } from '../agents/agents.ts';
import type { BridgeCommand } from './command.ts';
import type { GateFlags } from './gate.ts';
import type { HookFlags } from './gate-hook.ts';

const NAMES = AGENTS.filter(({ gate }) => gate !== undefined).map(({ name }) => name);
const ACTIONS = ['list', 'on', 'off', 'hook'] as const;

export const gateCommand: BridgeCommand = {
  name: 'gate',
  argument: 'action',
  argumentDefault: 'list',
  choices: ACTIONS,
  more: 'agents',
  description: 'make agents wait for your decision before they change a file, in every mode',
  options: [
    { name: 'workspace', short: 'w', value: 'dir', description: 'with --project: the project', default: '.' },
    { name: 'project', description: 'in the files of the project, not in yours' },
    {
      name: 'shell',
      value: 'what',
      description: 'with on: whether shell commands wait for your decision, too',
      choices: ['ask', 'allow'],
      default: 'allow',
    },
    { name: 'yes', short: 'y', description: 'with on and off: change the files without asking' },
    {
      name: 'limit',
      value: 'seconds',
      description: 'with on: refuse a change that nobody has decided on after this time (default: a day)',
      parse: toSeconds,
    },
  ],
  notes: `hawser gate on claude adds a hook to the agent's configuration, after a look at the change; off removes it.
Without an action it lists the agents. Known are ${NAMES.join(', ')}. Agents run hawser gate hook themselves.
It is not a security boundary: an agent that may run shell commands can remove its hook.`,
  run: async (flags, action, environment, agents) => {
    if (action === 'hook') {
      const { runHook } = await import('./gate-hook.ts');
      return await runHook(agents[0] ?? '', flags as HookFlags, environment);
    }
    const { gate } = await import('./gate.ts');
    await gate(action, agents, flags as unknown as GateFlags, environment);
  },
};

function toSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) < 86_400) return Number(text);
  throw new Error('A limit is a number of seconds, less than a day.');
}
