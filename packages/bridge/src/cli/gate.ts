import type { Command } from '@hawser/command-line/command';
import { AGENTS } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import type { GateFlags } from '../gates/gates.ts';
import type { HookFlags } from '../gates/hook.ts';

const NAMES = AGENTS.filter(({ gate }) => gate !== undefined).map(({ name }) => name);
const ACTIONS = ['list', 'on', 'off', 'rules', 'hook'] as const;

export const gateCommand: Command<Environment> = {
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
      description: 'with on: shell commands wait for your decision (ask), or what they change does (hold)',
      choices: ['ask', 'hold', 'allow'],
      default: 'allow',
    },
    { name: 'guard', description: 'with on: refuse changes of the hooks themselves, and of your rules' },
    { name: 'yes', short: 'y', description: 'with on and off: change the files without asking' },
    {
      name: 'limit',
      value: 'seconds',
      description: 'with on: refuse a change that nobody has decided on after this time (default: a day)',
      parse: toSeconds,
    },
  ],
  notes: `hawser gate on claude adds a hook to the agent's configuration, after a look at the change; off removes it.
hawser gate rules shows which changes are accepted or refused without asking, hawser gate rules docs/a.md what decides about that file.
Without an action it lists the agents. Known are ${NAMES.join(', ')}. Agents run hawser gate hook themselves.
It is not a security boundary: an agent that may run shell commands can remove its hook.`,
  run: async (flags, environment, action, agents) => {
    if (action === 'hook') {
      const { runHook } = await import('../gates/hook.ts');
      return await runHook(agents[0] ?? '', flags as HookFlags, environment);
    }
    if (action === 'rules') {
      const { gateRules } = await import('../gates/rules.ts');
      return gateRules(agents, flags as unknown as GateFlags, environment);
    }
    const { gate } = await import('../gates/gates.ts');
    await gate(action, agents, flags as unknown as GateFlags, environment);
  },
};

function toSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) < 86_400) return Number(text);
  throw new Error('A limit is a number of seconds, less than a day.');
}
