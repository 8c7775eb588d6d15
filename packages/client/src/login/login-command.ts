import { shellWord } from '../shell-word.ts';
import { describeTarget, type Target } from '../target.ts';

/** The command that logs in, for messages. */
export function loginCommand(target: Target, scope?: string): string {
  const more = scope === undefined ? '' : ` --scope ${shellWord(scope)}`;
  return `hawser login --url ${shellWord(describeTarget(target))}${more}`;
}
