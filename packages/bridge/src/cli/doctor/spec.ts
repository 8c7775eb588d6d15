import type { BridgeCommand } from '../command.ts';

export const doctorCommand: BridgeCommand = {
  name: 'doctor',
  description: 'check what Hawser and your agents need on this machine, and say what to do',
  options: [{ name: 'json', description: 'as JSON' }],
  notes: 'Exit codes: 0 nothing is wrong, 1 something is. A program that is missing is not wrong: you may not use it.',
  run: async (flags, _argument, environment) => {
    const { doctor } = await import('./doctor.ts');
    await doctor({ as: flags.json === true ? 'json' : 'words' }, environment);
  },
};
