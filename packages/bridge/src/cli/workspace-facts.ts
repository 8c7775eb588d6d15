import type { AgentStatus, ClientStatus, Status } from '../control/calls.ts';
import { ADVICE } from '../editors/workspace/language-servers/program-table.ts';
import type { AgentFacts, LanguageFacts, ReviewFacts, WorkspaceFacts } from '../terminal/facts.ts';
import { isOnPath } from './on-path.ts';

interface AgentKind extends Pick<AgentFacts, 'name' | 'displayName' | 'review'> {
  readonly isClient: (adapter: AgentStatus, client: ClientStatus) => boolean;
}

const ASKED: ReviewFacts = { kind: 'yes', sentence: 'Its changes are reviewed here.' };
const IF_ASKED: ReviewFacts = {
  kind: 'depends',
  sentence: 'Its changes are reviewed here while it asks before it edits.',
  todo: 'Shift-Tab in it changes the mode.',
};

function notAsked(name: string): ReviewFacts {
  return {
    kind: 'no',
    sentence: 'It writes its changes itself.',
    todo: `hawser connect ${name} --write lets it propose changes here.`,
  };
}

function through(adapter: string): AgentKind['isClient'] {
  return ({ name }) => name === adapter;
}

/** The adapter of Claude Code serves other agents, too. */
function named(client: string): AgentKind['isClient'] {
  return (_adapter, { name }) => name === client;
}

/** In the order in which they are listed. */
const KINDS: readonly AgentKind[] = [
  { name: 'claude', displayName: 'Claude Code', review: IF_ASKED, isClient: named('claude-code') },
  { name: 'gemini', displayName: 'Gemini CLI', review: ASKED, isClient: through('gemini-cli') },
  { name: 'qwen', displayName: 'Qwen Code', review: IF_ASKED, isClient: through('qwen-code') },
  { name: 'copilot', displayName: 'GitHub Copilot CLI', review: ASKED, isClient: through('copilot-cli') },
  { name: 'codex', displayName: 'Codex CLI', review: notAsked('codex'), isClient: through('codex') },
  { name: 'opencode', displayName: 'opencode', review: notAsked('opencode'), isClient: named('opencode') },
];

/** What the views tell about the bridge, its agents and its languages. */
export function workspaceFacts(status: Status, searchPath: string): WorkspaceFacts {
  return { folders: status.folders, agents: agentFacts(status, searchPath), languages: languageFacts(status) };
}

function agentFacts({ agents }: Status, searchPath: string): readonly AgentFacts[] {
  return KINDS.map(({ isClient, ...kind }) => ({
    ...kind,
    command: `hawser run ${kind.name}`,
    installed: isOnPath(kind.name, searchPath),
    connected: agents.flatMap((adapter) => adapter.clients.filter((client) => isClient(adapter, client))),
  }));
}

/** An editor with a window has language servers of its own. */
function languageFacts(status: Status): readonly LanguageFacts[] | undefined {
  const { languagePrograms, uncheckedLanguages = [], selectsInViews } = status;
  if (languagePrograms === undefined) return selectsInViews ? [] : undefined;
  const checked = languagePrograms.map(({ name, version, languages, problem }): LanguageFacts => {
    const checkedBy = version === undefined ? name : `${name} ${version}`;
    return { languages: titlesOf(languages), checkedBy, ...(problem !== undefined && { problem: firstLine(problem) }) };
  });
  const installs = new Set(uncheckedLanguages.map(({ install }) => install));
  const unchecked = [...installs].map((install): LanguageFacts => {
    const titles = uncheckedLanguages.filter((each) => each.install === install).map(({ title }) => title);
    return { languages: titles.join(', '), install };
  });
  return [...checked, ...unchecked];
}

function titlesOf(languages: readonly string[]): string {
  if (languages.length === 0) return 'all files';
  const titles = ADVICE.filter((advice) => advice.languages.some((each) => languages.includes(each)));
  return titles.length === 0 ? languages.join(', ') : titles.map(({ title }) => title).join(', ');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
