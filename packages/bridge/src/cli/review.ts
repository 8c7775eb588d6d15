import type { FullProposal, Summary } from '../control/calls.ts';
import type { ControlClient } from '../control/connect.ts';
import { diffOf } from '../review/reviewers/terminal/diff.ts';
import { wordFor } from '../review/reviewers/terminal/view.ts';
import { escaped } from '../terminal/glyphs.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { reviewInTerminal } from './review-in-terminal.ts';
import { withBridge } from './running-bridge.ts';

export interface ReviewFlags {
  readonly workspace?: string;
  readonly list?: boolean;
  readonly show?: string;
  readonly accept?: string;
  readonly hunks?: readonly number[];
  readonly reject?: string;
  readonly json: boolean;
}

/** `hawser review`: a view, or one question or decision for scripts. */
export function review(flags: ReviewFlags, environment: Environment): Promise<void> {
  const { workspace, list, show, accept, hunks, reject } = flags;
  const asked = [list, show, accept, reject].filter((each) => each !== undefined).length;
  if (asked > 1) {
    throw new CommandFailed(ExitCode.usage, 'Only one of --list, --show, --accept and --reject at a time');
  }
  if (hunks !== undefined && accept === undefined) {
    throw new CommandFailed(ExitCode.usage, '--hunks goes with --accept');
  }
  if (flags.json && list === undefined && show === undefined) {
    throw new CommandFailed(ExitCode.usage, '--json goes with --list or --show');
  }
  if (asked === 0) return reviewInTerminal(workspace, environment);
  return withBridge(workspace, environment, (bridge) => one(bridge, flags, environment));
}

async function one(bridge: ControlClient, flags: ReviewFlags, { stdout }: Environment): Promise<void> {
  const { show, accept, hunks, reject, json } = flags;
  if (show !== undefined) {
    const proposal = await bridge.get(show);
    if (json) stdout(JSON.stringify(proposal, undefined, 2));
    else for (const line of shown(proposal)) stdout(escaped(line));
  } else if (accept !== undefined) {
    const ending = await bridge.decide(accept, hunks === undefined ? { kind: 'all' } : { kind: 'some', hunks });
    stdout(`hawser: ${wordFor(ending, 'you')}`);
  } else if (reject !== undefined) {
    stdout(`hawser: ${wordFor(await bridge.decide(reject, { kind: 'none' }), 'you')}`);
  } else {
    const found = await bridge.list();
    if (json) stdout(JSON.stringify(found, undefined, 2));
    else for (const each of found) stdout(escaped(listed(each)));
  }
}

function listed({ id, path, from, isNewFile }: Summary): string {
  return `${id.slice(0, 8)}  ${path}${isNewFile ? ' (new file)' : ''}  ${from}`;
}

const SIGNS = { header: '', context: ' ', removed: '-', added: '+', note: '' } as const;

/** A unified diff with the number of each hunk; what a terminal would obey is escaped, so it is for reading. */
function shown({ path, from, oldText, newText }: FullProposal): string[] {
  const { lines, starts } = diffOf({ oldText, newText });
  return [
    `${path}, proposed by ${from}${oldText === undefined ? ', a new file' : ''}`,
    ...lines.flatMap(({ kind, text, hunk }, index) => {
      const isFirst = hunk !== undefined && starts[hunk] === index;
      return [...(isFirst ? [`# hunk ${hunk + 1}`] : []), `${SIGNS[kind]}${text}`];
    }),
  ];
}
