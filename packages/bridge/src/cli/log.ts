import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { toCount } from '@hawser/command-line/to-count';
import { patchOf } from '@hawser/diffs/patch';
import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import { contains } from '../access/paths.ts';
import { agentCalled } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import type { RememberedDecision } from '../review/history/decision.ts';
import { History } from '../review/history/history.ts';
import { notesInWords } from '../review/notes.ts';

export interface LogFlags {
  readonly workspace: string;
  readonly all?: true;
  readonly agent?: string;
  readonly count: number;
  readonly show?: string;
  readonly json?: true;
}

export const logCommand: CommandSyntax = {
  name: 'log',
  description: 'list what was decided on the changes of agents',
  options: [
    {
      name: 'workspace',
      short: 'w',
      value: 'dir',
      description: 'the folder whose changes to list',
      default: '.',
    },
    { name: 'all', description: 'those of every folder' },
    { name: 'agent', value: 'name', description: 'only those of this agent' },
    { name: 'count', short: 'n', value: 'n', description: 'how many at most', default: '20', parse: toCount },
    { name: 'show', value: 'id', description: 'print one of them, with its patch and notes' },
    { name: 'json', description: 'as JSON' },
  ],
  notes:
    'Decisions and texts are kept in the state folder, readable for you alone. hawser serve --history off keeps none.',
};

/** `hawser log`: what was decided, the newest first. */
export function log(flags: LogFlags, environment: Environment): void {
  const history = new History(environment.stateFolder);
  const folder = flags.all ? '/' : workspaceFolder(flags.workspace, environment);
  const names = flags.agent === undefined ? [] : [flags.agent, agentCalled(flags.agent)?.name];
  const decisions = history
    .list()
    .filter(({ path, agent }) => contains(folder, path) && (names.length === 0 || names.includes(agent)));
  if (flags.show !== undefined) {
    const shown = shownIn(decisions, flags.show);
    const { lost, ...texts } = history.textsOf(shown);
    if (flags.json) environment.stdout(jsonText({ ...shown, ...texts }));
    else for (const line of inDetail(shown, texts, lost)) environment.stdout(escaped(line));
    return;
  }
  const newest = decisions.slice(0, flags.count);
  if (flags.json) environment.stdout(jsonText(newest));
  else if (newest.length === 0) environment.stdout('Nothing was decided here yet.');
  else for (const each of newest) environment.stdout(escaped(inOneLine(each, folder)));
}

function shownIn(decisions: readonly RememberedDecision[], start: string): RememberedDecision {
  const found = decisions.filter(({ id }) => id.startsWith(start));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const problem = found.length > 1 ? `More than one decision starts with ${start}` : `There is no decision ${start}`;
  throw new CommandFailed(ExitCode.noProposal, `${problem}; see hawser log`);
}

function inOneLine(decision: RememberedDecision, folder: string): string {
  const { id, time, path, agent, by, notes } = decision;
  const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const noted = notes.length === 0 ? '' : `, ${notes.length} ${notes.length === 1 ? 'note' : 'notes'}`;
  return `${id.slice(0, 8)}  ${time.slice(0, 16).replace('T', ' ')}  ${name}  ${agent}: ${inWords(decision)} (${by}${noted})`;
}

function inWords({ decision, oldText, newText, accepted, effect }: RememberedDecision): string {
  const isNoticed = effect === 'noticed' || effect === 'noticedDelete';
  if (decision === 'changesRequested') return 'changes requested';
  if (decision === 'rejected') return isNoticed ? 'taken back' : 'rejected';
  const how = accepted === newText ? 'accepted' : 'accepted with changes';
  if (effect === 'command') return 'allowed';
  if (isNoticed) return accepted === newText ? 'kept' : 'kept in part';
  return oldText === undefined ? `${how}, a new file` : accepted === undefined ? 'deleted' : how;
}

type Texts = Record<'oldText' | 'newText' | 'accepted', string | undefined>;

function inDetail(decision: RememberedDecision, texts: Texts, lost: readonly string[]): string[] {
  const { id, time, path, agent, by, notes } = decision;
  const { oldText, newText = '', accepted } = texts;
  const said = notesInWords(notes, { oldText, newText });
  const after = decision.decision === 'accepted' ? (accepted ?? '') : newText;
  return [
    `${id}  ${time}`,
    `${path}, proposed by ${agent}: ${inWords(decision)} in ${by}`,
    ...(said === '' ? [] : said.split('\n')),
    ...(lost.length > 0
      ? ['Its texts are no longer kept.']
      : patchOf(path.replace(/^\/+/, ''), { oldText, newText: after }).trimEnd().split('\n')),
  ];
}
