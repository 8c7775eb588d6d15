import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { ClientEnvironment } from '../client-environment.ts';
import { connectTarget } from '../connect-target.ts';
import { type Difference, obstacleIn, replay } from '../replay.ts';
import { describeTarget, type Target, withoutSecrets } from '../target.ts';
import { parseTranscript, type Session } from '../transcript.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { targetOf, untilSignal } from './with-session.ts';

export interface ReplayFlags extends ClientFlags {
  readonly ignore: readonly string[];
}

interface SessionReport {
  readonly title: string;
  readonly status: 'same' | 'different' | 'skipped';
  /** Why it was skipped. */
  readonly reason?: string;
  readonly differences: readonly Difference[];
}

const TIMEOUT_MS = 60_000;

export const replayCommand = withTargetOptions({
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
});

/** Replays each session on a connection of its own. Fails if something differs. */
export async function replayTranscript(
  flags: ReplayFlags,
  environment: ClientEnvironment,
  file: string,
): Promise<void> {
  const sessions = readTranscript(resolve(environment.cwd, file));
  const target = await targetOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const reports: SessionReport[] = [];
  for (const session of sessions) {
    try {
      reports.push(await replaySession(session, target, flags, signal));
    } catch (error) {
      if (signal.aborted) throw new CommandFailed(exitCode(), '');
      throw new CommandFailed(
        ExitCode.noServer,
        `No connection to ${describeTarget(target)}: ${withoutSecrets((error as Error).message, target)}`,
      );
    }
    if (!flags.json) for (const line of inWords(reports.at(-1))) environment.stdout(escaped(line));
  }
  const isSame = reports.every(({ status }) => status !== 'different');
  const report = { target: describeTarget(target), status: isSame ? 'same' : 'different', sessions: reports };
  if (flags.json) environment.stdout(jsonText(report));
  if (!isSame) throw new CommandFailed(ExitCode.failed, '');
}

async function replaySession(
  session: Session,
  target: Target,
  { timeout = TIMEOUT_MS, ignore }: ReplayFlags,
  signal: AbortSignal,
): Promise<SessionReport> {
  const { title } = session;
  const reason = obstacleIn(session);
  if (reason !== undefined) return { title, status: 'skipped', reason, differences: [] };
  const differences = await replay(session, await connectTarget(target, { signal }), { timeout, ignore, signal });
  return { title, status: differences.length === 0 ? 'same' : 'different', differences };
}

function inWords(report: SessionReport | undefined): string[] {
  if (report === undefined) return [];
  const { title, status, reason, differences } = report;
  return [
    `${status.padEnd(9)}  ${title}${reason === undefined ? '' : `: ${reason}`}`,
    ...differences.map(({ line, message }) => (line === undefined ? `  ${message}` : `  line ${line}: ${message}`)),
  ];
}

function readTranscript(path: string): Session[] {
  try {
    const sessions = parseTranscript(readFileSync(path, 'utf8'));
    if (sessions.length > 0) return sessions;
  } catch (error) {
    throw new CommandFailed(ExitCode.usage, `${path} can't be replayed: ${(error as Error).message}`);
  }
  throw new CommandFailed(ExitCode.usage, `${path} has no session.`);
}
