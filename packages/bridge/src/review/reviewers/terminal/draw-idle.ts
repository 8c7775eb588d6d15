import { widthOf, wrapWords } from '@hawser/terminal-text/wrapping';
import { coverageRows } from '../../../terminal/coverage-rows.ts';
import type { AgentFacts, WorkspaceFacts } from '../../../terminal/facts.ts';
import { BOLD, DIM, fitRow, padded } from '../../../terminal/fit-row.ts';
import type { Row, Style } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';

const GREEN: Style = { colour: 'green' };
const YELLOW: Style = { colour: 'yellow' };
const INDENT = '    ';

/** What the screen says while nothing waits: what is served, who can change it and whether that is reviewed. */
export function drawIdle(facts: WorkspaceFacts | undefined, hasDemo: boolean, { columns, rows }: Size): readonly Row[] {
  const line = (text: string, style: Style = {}): Row => fitRow([{ text: `  ${text}`, style }], columns);
  const nothing = [[], line('Nothing waits for a decision.', BOLD)];
  if (facts === undefined) return nothing;
  const { folders, agents, languages } = facts;
  const checked = coverageRows(languages, columns - 2).map((row): Row => [{ text: '  ' }, ...row]);
  const around = [
    [...nothing, [], ...folders.map((folder) => line(`Serving ${folder}`, DIM)), []],
    [
      ...(checked.length === 0 ? [] : [[], line('Languages', DIM), ...checked]),
      [],
      line('3  all agents, and how each is connected', DIM),
      ...(hasDemo ? [line('d  a demo of a review, with a scripted agent in a scratch folder', DIM)] : []),
    ],
  ] as const;
  const room = rows - around[0].length - around[1].length;
  return [...around[0], ...agentRows(agents, { columns, rows: room }), ...around[1]];
}

/** Connected ones first; those that are not installed are not listed. As much is said of each as there is room for. */
function agentRows(agents: readonly AgentFacts[], { columns, rows }: Size): readonly Row[] {
  const connected = agents.filter((agent) => agent.connected.length > 0);
  const others = agents.filter((agent) => agent.connected.length === 0 && agent.installed);
  const listed = [...connected, ...others];
  if (listed.length === 0) {
    const none = '  No agent is installed here; 3 shows those that Hawser works with.';
    return [fitRow([{ text: none, style: YELLOW }], columns)];
  }
  const widths = {
    name: Math.max(...listed.map(({ displayName }) => widthOf(displayName))),
    command: Math.max(CONNECTED.length, ...others.map(({ command }) => command.length)),
  };
  const room = Math.max(20, columns - INDENT.length - widths.name - widths.command - 2 * GAP.length);
  const title = fitRow([{ text: '  Agents', style: DIM }], columns);
  const drawn = [
    (agent: AgentFacts) => textsOf(agent).flatMap((text) => wrapWords(text, room)),
    ({ review: { sentence } }: AgentFacts) => wrapWords(sentence, room),
    ({ review: { sentence } }: AgentFacts) => [sentence],
  ].map((linesOf) => [
    title,
    ...listed.flatMap((agent) => linesOf(agent).map((text, row) => agentRow(agent, text, row, widths, columns))),
  ]);
  return drawn.find((all) => all.length <= rows) ?? drawn.at(-1) ?? [];
}

const CONNECTED = 'connected';
const GAP = '  ';

/** Whether its changes are reviewed, and what to do if not. */
function textsOf({ review: { kind, sentence, todo } }: AgentFacts): readonly string[] {
  return kind === 'yes' || todo === undefined ? [sentence] : [sentence, todo];
}

function agentRow(
  { displayName, connected, command, review }: AgentFacts,
  text: string,
  row: number,
  widths: { readonly name: number; readonly command: number },
  columns: number,
): Row {
  const isConnected = connected.length > 0;
  const [name, start] = row > 0 ? ['', ''] : [displayName, isConnected ? CONNECTED : command];
  return fitRow(
    [
      { text: `${INDENT}${padded(name, widths.name)}${GAP}` },
      { text: `${padded(start, widths.command)}${GAP}`, style: isConnected ? GREEN : BOLD },
      { text, ...(review.kind === 'no' && { style: YELLOW }) },
    ],
    columns,
  );
}
