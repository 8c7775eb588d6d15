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
  /** As in shells. */
  notExecutable: 126,
  noCommand: 127,
} as const;

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
