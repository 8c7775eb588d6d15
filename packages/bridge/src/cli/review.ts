import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { toPort } from '@hawser/command-line/to-port';
import { restoreLineEnds } from '@hawser/diffs/line-ends';
import { patchOf } from '@hawser/diffs/patch';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import { nameIn } from '../access/paths.ts';
import { withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';
import type { ProposalSummary } from '../control/calls.ts';
import type { ControlClient } from '../control/control-client.ts';
import { decode } from '../encoding.ts';
import { readRegularFile } from '../regular-file.ts';
import type { Note, Proposal } from '../review/proposal.ts';
import type { DecideResult } from '../review/reviewer.ts';
import { describeOutcome } from '../review/viewing/describe.ts';
import type { ReviewWebFlags } from '../serving/review-web.ts';
import { reviewInTerminal } from '../terminal-program/review-in-terminal.ts';

export const reviewCommand = withBridgeOptions({
  name: 'review',
  description: 'look at the changes that agents propose, and decide on them',
  options: [
    { name: 'list', description: 'list what waits for a decision' },
    { name: 'show', value: 'id', description: 'print one change, as a patch for git apply' },
    { name: 'accept', value: 'id', description: 'accept a change' },
    {
      name: 'hunks',
      value: 'numbers',
      description: 'with --accept: only these parts of it, such as 1,3',
      parse: toHunks,
    },
    {
      name: 'revision',
      value: 'n',
      description: 'with --accept: the revision that --show showed, if the file has changed',
      parse: toRevision,
    },
    { name: 'reject', value: 'id', description: 'reject a change' },
    {
      name: 'ask',
      value: 'id',
      description: 'ask for changes: nothing is written, and the agent gets your notes',
    },
    {
      name: 'note',
      value: 'text',
      description: 'with --accept, --reject and --ask: what to tell the agent; LINE: before it is about that line',
      isList: true,
    },
    {
      name: 'since',
      description: "what has changed in the workspace since the agent's turn began: keep it or take it back",
    },
    { name: 'mark', description: 'remember the workspace as it is now: --since compares with this' },
    { name: 'json', description: 'with --list and --show: as JSON, texts exact' },
    { name: 'web', description: 'review in the browser: print a link, and open it' },
    { name: 'host', value: 'address', description: 'with --web: let other machines in, at this address or 0.0.0.0' },
    {
      name: 'port',
      short: 'p',
      value: 'n',
      description: 'with --web: the port (default: any free one)',
      parse: toPort,
    },
    { name: 'cert', value: 'file', description: 'with --host: a certificate, for an encrypted connection' },
    { name: 'key', value: 'file', description: 'with --host: its key' },
    {
      name: 'hours',
      value: 'n',
      description: 'with --web: how long the browser stays logged in (default: 12)',
      parse: toHours,
    },
    { name: 'no-open', description: 'with --web: open no browser' },
    { name: 'web-off', description: 'serve the page no longer, and log all browsers out' },
  ],
  notes: `Without --list, --show, --accept, --reject, --ask or --web it is a view in the terminal; ? shows its keys.
An id can be shortened to its first characters, at least four.
--since is for agents and modes without a gate, after the turn. The bridge remembers the workspace when it starts, when
an agent connects, and when an agent with a gate gets a prompt. It can't tell your own edits from those of agents.
With --list it only lists them.
Exit codes: 0 done, 6 no bridge runs, 7 no such change, 8 it was decided or withdrawn before, 9 its file has changed.`,
});

const BYTE_ORDER_MARK = '\ufeff';

export interface ReviewFlags extends ReviewWebFlags {
  readonly list?: boolean;
  readonly show?: string;
  readonly accept?: string;
  readonly hunks?: readonly number[];
  readonly revision?: number;
  readonly reject?: string;
  readonly ask?: string;
  readonly note: readonly string[];
  readonly since?: true;
  readonly mark?: true;
  readonly json?: true;
}

/** `hawser review`: a view, or one query or decision for scripts. */
export function review(flags: ReviewFlags, environment: Environment): Promise<void> {
  const { list, show, accept, hunks, revision, reject, ask, note } = flags;
  const asked = [list, show, accept, reject, ask].filter((each) => each !== undefined).length;
  const isWeb = flags.web === true || flags.webOff === true;
  const webOnly = (['host', 'port', 'cert', 'key', 'hours', 'noOpen'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (webOnly !== undefined && flags.web !== true) {
    throw new CommandFailed(ExitCode.usage, `--${webOnly === 'noOpen' ? 'no-open' : webOnly} goes with --web`);
  }
  if (asked + Number(isWeb) > 1) {
    throw new CommandFailed(
      ExitCode.usage,
      'Only one of --list, --show, --accept, --reject, --ask and --web at a time',
    );
  }
  if ((hunks !== undefined || revision !== undefined) && accept === undefined) {
    throw new CommandFailed(ExitCode.usage, `${hunks === undefined ? '--revision' : '--hunks'} goes with --accept`);
  }
  if (note.length > 0 && accept === undefined && reject === undefined && ask === undefined) {
    throw new CommandFailed(ExitCode.usage, '--note goes with --accept, --reject or --ask');
  }
  if (ask !== undefined && note.length === 0) {
    throw new CommandFailed(ExitCode.usage, '--ask needs a --note that says what you want');
  }
  if (flags.json && list === undefined && show === undefined) {
    throw new CommandFailed(ExitCode.usage, '--json goes with --list or --show');
  }
  if (flags.since && asked > (list === undefined ? 0 : 1)) {
    throw new CommandFailed(ExitCode.usage, '--since goes with --list, or stands alone');
  }
  if (flags.mark && (flags.since || asked > 0)) throw new CommandFailed(ExitCode.usage, '--mark stands alone');
  if (flags.mark) return mark(flags, environment);
  if (flags.since) return since(flags, environment);
  if (isWeb) return import('../serving/review-web.ts').then(({ reviewWeb }) => reviewWeb(flags, environment));
  if (asked === 0) return reviewInTerminal(flags, environment);
  return withBridge(flags, environment, (bridge) => one(bridge, flags, environment));
}

async function mark(flags: ReviewFlags, environment: Environment): Promise<void> {
  await withBridge(flags, environment, (bridge) => bridge.mark('you asked for it'));
  environment.stdout('hawser: hawser review --since compares with the workspace as it is now');
}

/** Proposes what has changed, says how much, and goes on as without `--since`. */
async function since(flags: ReviewFlags, environment: Environment): Promise<void> {
  const { stdout } = environment;
  const { time, event, proposed, unknown, isCut } = await withBridge(flags, environment, (bridge) => bridge.since());
  const when = `since ${new Date(time).toLocaleTimeString()}, when ${event}`;
  const files = proposed === 1 ? '1 file has' : `${proposed} files have`;
  const say = (text: string) => (flags.json ? environment.stderr(text) : stdout(escaped(text)));
  say(proposed === 0 ? `hawser: no text has changed ${when}` : `hawser: ${files} changed ${when}`);
  if (isCut) say('hawser: more have changed; decide on these and run it again');
  for (const path of unknown) say(`hawser: ${path} has changed, and there is no former text of it to show`);
  if (flags.list) return await withBridge(flags, environment, (bridge) => one(bridge, flags, environment));
  if (proposed > 0) await reviewInTerminal(flags, environment);
}

async function one(bridge: ControlClient, flags: ReviewFlags, environment: Environment): Promise<void> {
  const { stdout } = environment;
  const { show, accept, hunks, revision, reject, ask, note, json } = flags;
  const noted = note.length === 0 ? {} : { notes: note.map(noteOf) };
  if (show !== undefined) {
    const proposal = await bridge.get(show);
    if (json) stdout(jsonText(proposal));
    else {
      const patch = shown(await asInFile(proposal), (await bridge.status()).folders);
      // Control characters do something to a terminal; git needs them.
      if (environment.isStdoutTerminal) for (const line of patch.split('\n')) stdout(escaped(line));
      else stdout(patch);
    }
  } else if (accept !== undefined) {
    const decision = { kind: 'accepted', ...noted, ...(hunks !== undefined && { hunks }) } as const;
    stdout(decided(accept, await bridge.decide(accept, decision, revision)));
  } else if (reject !== undefined) {
    stdout(decided(reject, await bridge.decide(reject, { kind: 'rejected', ...noted })));
  } else if (ask !== undefined) {
    stdout(decided(ask, await bridge.decide(ask, { kind: 'changesRequested', ...noted })));
  } else {
    const found = await bridge.list();
    if (json) stdout(jsonText(found));
    else for (const each of found) stdout(escaped(listed(each)));
  }
}

/** `12: use const` is about line 12 of the new text. */
function noteOf(given: string): Note {
  const [, line, text] = /^([1-9]\d{0,8}):\s*(.+)$/s.exec(given) ?? [];
  if (line === undefined || text === undefined) return { text: given };
  return { text, lines: { side: 'new', first: Number(line) - 1, count: 1 } };
}

function decided(id: string, result: DecideResult): string {
  switch (result.kind) {
    case 'decided':
      return `hawser: ${describeOutcome(result.outcome, 'you')}`;
    case 'waiting':
      return `hawser: decided, ${result.decided} of ${result.size} of its set; it takes effect when all are`;
    case 'ended': {
      const { outcome } = result;
      const how = outcome.kind === 'withdrawn' ? `withdrawn (${outcome.reason})` : outcome.kind;
      throw new CommandFailed(ExitCode.decidedAlready, `Proposal ${id} was already ${how}`);
    }
    case 'failed':
      throw new CommandFailed(ExitCode.failed, `Proposal ${id} is still open: ${result.reason}`);
    case 'stale':
      throw new CommandFailed(
        ExitCode.stale,
        `The file has changed since. Look at it with --show ${id}, then accept it with --accept ${id} --revision ${result.revision}`,
      );
    case 'unknown':
      throw new CommandFailed(ExitCode.noProposal, `There is no proposal ${id}; see hawser review --list`);
  }
}

function listed({ id, path, agent, isNewFile, base }: ProposalSummary): string {
  const stale =
    base === 'original' ? '' : base === 'merged' ? ' (file changed, merged)' : ' (file changed, in conflict)';
  return `${id.slice(0, 8)}  ${path}${isNewFile ? ' (new file)' : ''}${stale}  ${agent}`;
}

/**
 * Agents speak of a file without its byte order mark, and with LF where it has CRLF; git compares bytes. A file that is
 * not what the proposal was compared with, for example because it is unsaved in the editor, is left out of account.
 */
async function asInFile(proposal: Proposal): Promise<Proposal> {
  const { path, oldText, newText } = proposal;
  const file = await readRegularFile(path).then(decode, () => undefined);
  if (file === undefined) return proposal;
  const mark = file.encoding === 'utf8-bom' ? BYTE_ORDER_MARK : '';
  const hasOtherEnds = file.text !== oldText && file.text.replaceAll('\r\n', '\n') === oldText;
  const [before, after] = hasOtherEnds ? [file.text, restoreLineEnds(newText, file.text)] : [oldText, newText];
  const marked = after.startsWith(BYTE_ORDER_MARK) ? after : mark + after;
  return { ...proposal, newText: marked, ...(before !== undefined && { oldText: mark + before }) };
}

/** A patch for `git apply`, after lines that it passes over. */
function shown({ path, agent, oldText, newText, revision }: Proposal, folders: readonly string[]): string {
  const about = [`proposed by ${agent}`, ...(oldText === undefined ? ['a new file'] : [])];
  if (revision > 0) about.push(`revision ${revision}: the file has changed since`);
  const patch = patchOf(nameIn(folders, path).replace(/^\/+/, ''), { oldText, newText });
  // What the agent calls itself must not begin a line of the patch.
  return `# ${escaped(`${path}, ${about.join(', ')}`)}\n${patch}`.replace(/\n$/, '');
}

function toHours(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error('Hours are a number from 1.');
}

function toRevision(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error('A revision is a number, as hawser review --show prints it.');
}

/** Users count from 1. */
function toHunks(text: string): number[] {
  return text.split(',').map((each) => {
    if (!/^\s*[1-9]\d{0,8}\s*$/.test(each)) throw new Error('Hunks are numbers from 1, such as 1,3.');
    return Number(each) - 1;
  });
}
