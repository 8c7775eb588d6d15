/** Exit codes of the command. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  portInUse: 3,
  lockNotWritable: 4,
  noWorkspace: 5,
  notRunning: 6,
  noProposal: 7,
  decidedAlready: 8,
  stale: 9,
  noServer: 10,
  /** As in shells. */
  notExecutable: 126,
  noCommand: 127,
} as const;

/** For the manual. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof ExitCode, string>> = {
  ok: 'done',
  failed: 'something else failed; the message says what',
  usage: 'a wrong command, option or value',
  portInUse: 'the port that `--port` names is in use, or you may not use it',
  lockNotWritable: 'a file by which agents find the bridge could not be written',
  noWorkspace: 'the folder to serve does not exist or can not be read',
  notRunning: 'no bridge runs for this folder',
  noProposal: 'there is no such change',
  decidedAlready: 'the change was decided or withdrawn before',
  stale: 'the file has changed since the change was shown',
  noServer: 'the MCP server could not be reached, or does not speak MCP',
  notExecutable: 'hawser run: the agent can not be executed',
  noCommand: 'hawser run: there is no such command',
};

/** A failure with a message for the user and a code for scripts. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }

  /** By name, because each command is a bundle with its own copy of this class. */
  static is(error: unknown): error is CommandFailed {
    return error instanceof Error && error.name === 'CommandFailed';
  }
}
