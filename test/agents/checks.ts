import { expect } from 'vitest';
import type { TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { LINES, TEXT } from './lines.ts';
import type { Check, RealAgent } from './real-agent.ts';
import { type AgentStage, answer } from './stage.ts';

const END = 'That was all.';
const PROMPT = 'please go on';

/** The agent's one edit: lines 2 and 11 change, which are two hunks. */
const CHANGED = LINES.with(1, 'TWO').with(10, 'eleven and a half');
const FIRST_HUNK_ONLY = LINES.with(1, 'TWO');
const replacement = { from: LINES.slice(1, 11).join('\n'), to: CHANGED.slice(1, 11).join('\n') };
const SHOWN = '+eleven and a half';

/** The selected lines in the JSON that a model receives; some agents put JSON into it. */
const SELECTED = /two\\+nthree/;

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

/** What each check does. It throws when the agent or the bridge does something else. */
export const checks: { readonly [C in Check]: (stage: AgentStage, agent: RealAgent) => Promise<void> } = {
  async connect(stage) {
    await stage.startBridge();
    await stage.startAgent();
  },

  async selection(stage, { selection }) {
    const neovim = await stage.startNeovim();
    await selectLines(neovim, stage);
    const screen = await stage.startAgent();
    stage.model.script([{ say: END }]);
    if (selection !== undefined) await screen.shows(selection);
    await stage.prompt(PROMPT);
    await screen.shows(END);
    expectReceived(stage, SELECTED);
  },

  async mention(stage, { mention = { shows: '', received: /^$/ } }) {
    await stage.startBridge();
    const screen = await stage.startAgent();
    stage.model.script([{ say: END }]);
    await stage.hawser('mention', 'a.txt:2-3');
    await screen.shows(mention.shows);
    await stage.prompt(PROMPT);
    await screen.shows(END);
    expectReceived(stage, mention.received);
  },

  async accept(stage, agent) {
    const view = await stage.startBridge();
    const screen = await propose(stage, agent);
    await view.shows(SHOWN);
    expect(stage.fileText()).toBe(TEXT);
    await view.press('a');
    await screen.shows(END);
    expect(stage.fileText()).toBe(textOf(CHANGED));
    await stage.proposals(0);
  },

  /** Neovim shows it, `hawser review` in another terminal takes the first hunk and not the second. */
  async change(stage, agent) {
    const neovim = await stage.startNeovim();
    const review = await stage.startReview();
    const screen = await propose(stage, agent);
    await neovim.shows('eleven and a half');
    await review.shows(SHOWN);
    await review.press('y', 'n', 'Enter');
    await screen.shows(agent.acceptedInPart ?? END);
    expect(stage.fileText()).toBe(textOf(FIRST_HUNK_ONLY));
    await stage.proposals(0);
    await neovim.press('Escape', ':qa!', 'Enter');
  },

  async reject(stage, agent) {
    const view = await stage.startBridge();
    const screen = await propose(stage, agent);
    await view.shows(SHOWN);
    await view.press('r');
    await stage.proposals(0);
    await screen.shows(agent.rejected ?? END);
    expect(stage.fileText()).toBe(TEXT);
  },

  async terminal(stage, agent) {
    const view = await stage.startBridge();
    const screen = await propose(stage, agent);
    await view.shows(SHOWN);
    if (agent.decision !== undefined) await answer(agent.decision, screen);
    await screen.shows(END);
    expect(stage.fileText()).toBe(textOf(CHANGED));
    await view.shows(/This change was accepted in \S+\.$/m);
    await stage.proposals(0);
  },

  /** Everything works as before: the selection reaches the model, and a change is shown and accepted. */
  async restart(stage, agent) {
    const neovim = await stage.startNeovim();
    const screen = await stage.startAgent();
    await stage.restartBridge(neovim);
    await stage.connected(agent.reconnect);
    await selectLines(neovim, stage);
    if (agent.selection !== undefined) await screen.shows(agent.selection);
    const editTurns = agent.edit?.(stage.path, replacement) ?? [];
    stage.model.script([...editTurns, { say: END }]);
    await stage.prompt(PROMPT);
    if (editTurns.length > 0) await stage.acceptProposal();
    await screen.shows(END);
    expectReceived(stage, SELECTED);
    if (editTurns.length > 0) expect(stage.fileText()).toBe(textOf(CHANGED));
  },
  /** Configured by `hawser connect`: its model reads the selection, and proposes an edit that the editor writes. */
  async mcp(stage, { mcp }) {
    const neovim = await stage.startNeovim();
    await selectLines(neovim, stage);
    const screen = await stage.startAgent({ mcpServer: 'configured' });
    const { from: old_text, to: new_text } = replacement;
    stage.model.script([
      mcp.call('get_selection', {}),
      mcp.call('propose_edit', { path: 'a.txt', edits: [{ old_text, new_text }] }),
      { say: END },
    ]);
    await stage.prompt(PROMPT);
    if (mcp.permission !== undefined) await answer(mcp.permission, screen);
    await stage.acceptProposal();
    await screen.shows(END);
    expect(stage.fileText()).toBe(textOf(CHANGED));
    // Some agents pass the result on as text, some as JSON.
    expectReceived(stage, /a\.txt, lines 2 to 3|start_line[\\"]+:2,/, 1);
  },
};

/** The agent, whose model has just asked for an edit. */
async function propose(stage: AgentStage, agent: RealAgent): Promise<TmuxScreen> {
  const screen = await stage.startAgent();
  stage.model.script([...(agent.edit?.(stage.path, replacement) ?? []), { say: END }]);
  await stage.prompt(PROMPT);
  return screen;
}

/** Fails with what surrounds the prompt, as the whole request is very long. */
function expectReceived({ model }: AgentStage, pattern: RegExp, turn = 0): void {
  const request = model.received[turn] ?? '';
  const at = request.lastIndexOf(PROMPT);
  const isFound = pattern.test(request);
  expect(isFound, `${pattern} in what the model received: ${request.slice(Math.max(0, at - 600), at + 600)}`).toBe(
    true,
  );
}

async function selectLines(neovim: TmuxScreen, stage: AgentStage): Promise<void> {
  await neovim.press('2G', 'V', 'j');
  await stage.shared({ first: 1, last: 2 });
}
