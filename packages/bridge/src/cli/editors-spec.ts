import type { BridgeCommand } from './command.ts';
import type { EditorsFlags } from './editors.ts';

export const editorsCommand: BridgeCommand = {
  name: 'editors',
  description: 'list the editors that agents can find on this machine',
  options: [
    { name: 'sweep', description: 'remove the files of editors that have ended, after asking' },
    { name: 'yes', short: 'y', description: 'with --sweep: without asking' },
    { name: 'json', description: 'as JSON' },
  ],
  notes: `Reads the discovery files of every kind of agent that Hawser knows. A stale file names an editor that has ended or does
not listen. If your home folder is shared with other machines, editors that run there look stale here: don't sweep then.`,
  run: async (flags, _argument, environment) => {
    const { editors } = await import('./editors.ts');
    await editors(flags as unknown as EditorsFlags, environment);
  },
};
