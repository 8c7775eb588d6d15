import type { ClientCommand } from '../client-environment.ts';
import type { RecordFlags } from './record-session.ts';
import type { ReplayFlags } from './replay-transcript.ts';
import { withTargetOptions } from './target-options.ts';

/** `hawser record` and `hawser replay`. */
export const recordCommands: readonly ClientCommand[] = [
  {
    name: 'record',
    argument: 'command',
    rest: 'arguments',
    description: 'run an MCP server on stdio and write what it and its client say to a transcript',
    options: [{ name: 'output', short: 'o', value: 'file', description: 'the transcript (default: a new file here)' }],
    notes: `Put it before the command that an agent starts: hawser record -o s.transcript -- node server.js. A transcript that exists
gets one more session. It has everything that was said, secrets included; only you can read it.`,
    run: async (flags, command, environment, args) => {
      const { record } = await import('./record-session.ts');
      await record([command, ...args], flags as RecordFlags, environment);
    },
  },
  withTargetOptions({
    name: 'replay',
    argument: 'file',
    description: 'play the client of a transcript against an MCP server and show what differs',
    options: [
      {
        name: 'ignore',
        value: 'path',
        description: 'a member that may differ, such as result.serverInfo.version; can be repeated',
        isList: true,
      },
      { name: 'json', description: 'as JSON' },
    ],
    notes: `Messages of the server between two of the client may come in any order.
Exit codes: 0 nothing differs, 1 something does, 10 no connection.`,
    run: async (flags, file, environment) => {
      const { replayTranscript } = await import('./replay-transcript.ts');
      await replayTranscript(file, flags as unknown as ReplayFlags, environment);
    },
  }),
];
