import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from './environment.ts';
import { mention } from './mention.ts';
import { pause, resume } from './pause.ts';
import { type ReviewFlags, review } from './review.ts';
import type { BridgeChoice } from './running-bridge.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';

interface Flags extends BridgeChoice {
  readonly json?: boolean;
}

/** The commands that talk to a running bridge. */
export function addUserCommands(program: Command, environment: Environment): void {
  const command = (usage: string, description: string) =>
    program
      .command(usage)
      .description(description)
      .option('-w, --workspace <dir>', 'the folder it serves (default: this one, or the nearest above with a bridge)')
      .option('-b, --bridge <pid>', 'its process id, if several bridges serve the folder', toPid);

  command('review', 'look at the changes that agents propose, and decide on them')
    .option('--list', 'list what waits for a decision')
    .option('--show <id>', 'show one change')
    .option('--accept <id>', 'accept a change')
    .option('--hunks <numbers>', 'with --accept: only these parts of it, such as 1,3', toHunks)
    .option('--revision <n>', 'with --accept: the revision that --show showed, if the file has changed', toRevision)
    .option('--reject <id>', 'reject a change')
    .option('--json', 'with --list and --show: as JSON, texts exact', false)
    .addHelpText('after', REVIEW_HELP)
    .action((flags: ReviewFlags) => review(flags, environment));
  command('status', 'say what a bridge shares, and with whom')
    .option('--json', 'as JSON', false)
    .action(({ json = false, ...choice }: Flags) => status(choice, { as: json ? 'json' : 'words' }, environment));
  command('pause', 'share nothing with agents, and refuse what they propose, until resumed').action((choice: Flags) =>
    pause(choice, environment),
  );
  command('resume', 'share with agents again').action((choice: Flags) => resume(choice, environment));
  command('mention <file[:lines]>', 'point agents to a file or to lines of it, such as a.ts:10-20').action(
    (place: string, choice: Flags) => mention(place, choice, environment),
  );
  command('stop', 'stop the bridge that serves a workspace').action((choice: Flags) => stop(choice, environment));
}

const REVIEW_HELP = `
Without --list, --show, --accept or --reject it is a view in the terminal; ? shows its keys.
An id can be shortened to its first characters, at least four.
Exit codes: 0 done, 6 no bridge runs, 7 no such change, 8 it was decided or withdrawn before, 9 its file has changed.`;

function toPid(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A process id is a number; hawser status names it.');
}

function toRevision(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A revision is a number, as hawser review --show prints it.');
}

/** Users count from 1. */
function toHunks(text: string): number[] {
  return text.split(',').map((each) => {
    if (!/^\s*[1-9]\d{0,8}\s*$/.test(each)) throw new InvalidArgumentError('Hunks are numbers from 1, such as 1,3.');
    return Number(each) - 1;
  });
}
