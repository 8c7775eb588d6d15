import { isClientOf, reviewNow } from '../agents/agent-reviews.ts';
import { AGENTS, calledName } from '../agents/agents.ts';
import type { Status } from '../control/calls.ts';
import { ADVICE } from '../editors/workspace/language-servers/program-table.ts';
import { isOnPath } from '../files/on-path.ts';
import type { AgentFacts, LanguageFacts, WorkspaceFacts } from '../terminal/facts.ts';

/** What the views tell about the bridge, its agents and its languages. */
export function workspaceFacts(status: Status, searchPath: string): WorkspaceFacts {
  return { folders: status.folders, agents: agentFacts(status, searchPath), languages: languageFacts(status) };
}

export function agentFacts(
  { agents, gates }: Pick<Status, 'agents' | 'gates'>,
  searchPath: string,
): readonly AgentFacts[] {
  return AGENTS.flatMap((agent) => {
    const { title, review } = agent;
    if (review === undefined) return [];
    const name = calledName(agent);
    const connected = agents.flatMap((adapter) =>
      adapter.clients.filter((client) => isClientOf(agent, adapter.name, client.name)),
    );
    return {
      name,
      displayName: title,
      command: `hawser run ${name}`,
      installed: isOnPath(name, searchPath),
      review: reviewNow(review, connected, { isGated: gates?.includes(agent.name) === true }),
      connected,
    };
  });
}

/** An editor with a window has language servers of its own. */
function languageFacts(status: Status): readonly LanguageFacts[] | undefined {
  const { languagePrograms, uncheckedLanguages = [], selectsInViews } = status;
  if (languagePrograms === undefined) return selectsInViews ? [] : undefined;
  const checked = languagePrograms.map(({ name, version, languages, state, problem }): LanguageFacts => {
    const checkedBy = version === undefined ? name : `${name} ${version}`;
    if (state === 'not trusted') return { languages: titlesOf(languages), checkedBy, isUntrusted: true };
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
