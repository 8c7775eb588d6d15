import { EventEmitter, once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Agent, connectAgent, type Dialect } from '../../testing/agent.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { makeAccess } from '../access/access.ts';
import { type Bridge, openBridge } from '../bridge.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { Decision, Proposal } from '../review/proposal.ts';
import type { OpenReview, Reviewer } from '../review/reviewer.ts';
import { claudeCodeAdapter } from './claude-code/adapter.ts';
import { jetbrainsAdapter } from './jetbrains/adapter.ts';

const AGENTS = 50;
const STEPS = 1500;
const TABS = ['a', 'b', 'c'];

let home: string;
let folder: string;
let bridge: Bridge;
let screen: Screen;

beforeEach(async () => {
  home = temporaryFolder();
  folder = join(home, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.ts'), 'old\n');
  screen = new Screen();
  const access = makeAccess({ folders: [folder], home });
  const stateFolder = join(home, 'state');
  bridge = await openBridge({
    editor: workspaceEditor({ folders: [folder] }),
    access,
    noticing: 'off',
    identity: { name: 'Hawser', version: '0', pid: process.pid },
    reviewers: [screen],
    agents: [
      claudeCodeAdapter({ stateFolder, ideName: 'Hawser', lockFolder: join(home, 'ide'), runningInWindows: false }),
      jetbrainsAdapter({ stateFolder }),
    ],
  });
});

afterEach(async () => {
  await bridge.close();
});

it.each([1, 2, 3])(
  'fifty agents propose, cancel, close and leave at once: each proposal ends once, with its own end (seed %i)',
  async (seed) => {
    const random = seeded(seed);
    const actors: Actor[] = [];
    const join = async () => actors.push(await Actor.connect(actors.length));
    for (let count = 0; count < AGENTS; count += 1) await join();

    for (let step = 0; step < STEPS; step += 1) {
      const present = actors.filter(({ isHere }) => isHere);
      const actor = random.of(present) as Actor;
      const dice = random.below(100);
      if (dice < 40) actor.propose(random.of(TABS) as string);
      else if (dice < 55) actor.closeTab(random.of(TABS) as string);
      else if (dice < 60) actor.closeAll();
      else if (dice < 68) actor.cancel(random.of(actor.open));
      else if (dice < 71) {
        actor.leave();
        await join();
      } else screen.decide(random.of(screen.undecided), random.below(3));
      // Now and then one agent's proposals get time to reach the screen while everything else goes on.
      if (random.below(4) === 0) await actor.shownOrEnded();
    }
    await Promise.all(actors.map(({ agent }) => agent.settled().catch(() => {})));
    // The bridge notices a moment later that some have left.
    await expect.poll(() => screen.undecided.flatMap((view) => reasonAgainst(view, actors) ?? [])).toEqual([]);
    screen.decideEverything();
    await Promise.all(actors.map((actor) => actor.finished()));

    const requests = actors.flatMap(({ requests }) => requests);
    expect(requests.length).toBeGreaterThan(STEPS / 4);
    expect(requests.flatMap((request) => flawOf(request) ?? [])).toEqual([]);
    // All of it did happen, or the above would say little.
    const ends = new Set(
      requests.map(({ decision, isCancelled, isLeft, answer }) =>
        isLeft ? 'left' : isCancelled ? 'cancelled' : (decision?.kind ?? answer?.[0] ?? 'none'),
      ),
    );
    expect([...ends].sort()).toEqual(['DIFF_REJECTED', 'accepted', 'cancelled', 'left', 'rejected']);
    expect(screen.views.every(({ signal }) => signal.aborted)).toBe(true);
    expect(new Set(screen.views.map(({ proposal }) => proposal.id)).size).toBe(screen.views.length);
    expect(readFileSync(`${folder}/a.ts`, 'utf8')).toBe('old\n');

    for (const actor of actors) actor.leave();
  },
);

interface View {
  readonly proposal: Proposal;
  readonly signal: AbortSignal;
  decision: Decision | undefined;
  readonly settle: (decision: Decision) => void;
}

/** Shows all proposals side by side and decides on any of them at any time. */
class Screen implements Reviewer {
  readonly name = 'screen';
  readonly views: View[] = [];
  #decidesAtOnce = false;
  readonly #shown = new EventEmitter();

  /** Resolves when a proposal with this text is on the screen. */
  async shows(newText: string): Promise<void> {
    if (this.views.some(({ proposal }) => proposal.newText === newText)) return;
    await once(this.#shown, newText);
  }

  show(review: OpenReview): void {
    const { proposal, signal } = review;
    const settle = (decision: Decision) => void review.decide(decision, 0);
    const view: View = { proposal, signal, decision: undefined, settle };
    this.views.push(view);
    this.#shown.emit(proposal.newText);
    if (this.#decidesAtOnce) this.decide(view, 0);
  }

  get undecided(): View[] {
    return this.views.filter(({ signal, decision }) => !signal.aborted && decision === undefined);
  }

  decide(view: View | undefined, way: number): void {
    if (view === undefined) return;
    const { newText } = view.proposal;
    if (way === 0) view.decision = { kind: 'accepted', text: newText };
    else if (way === 1) view.decision = { kind: 'accepted', text: `edited ${newText}` };
    else view.decision = { kind: 'rejected' };
    view.settle(view.decision);
  }

  decideEverything(): void {
    this.#decidesAtOnce = true;
    for (const view of this.undecided) this.decide(view, 0);
  }
}

/** A proposal as its agent sees it. */
class Asked {
  readonly id: number;
  readonly contents: string;
  readonly tab: string;
  readonly agent: Agent;
  isCancelled = false;
  isLeft = false;
  /** Its agent gave it a reason to close: its tab, all tabs, or another under its name. */
  mayClose = false;
  answer: string[] | undefined;
  /** Settles when it is answered, or its agent has left. */
  readonly answered: Promise<void>;

  constructor(agent: Agent, { id, answer }: ReturnType<Agent['begin']>, contents: string, tab: string) {
    this.agent = agent;
    this.answered = answer.then(
      ({ content }) => {
        this.answer = content.map(({ text }: { text: string }) => text);
      },
      () => {},
    );
    this.id = id;
    this.contents = contents;
    this.tab = tab;
  }

  get decision(): Decision | undefined {
    return screen.views.find(({ proposal }) => proposal.newText === this.contents)?.decision;
  }
}

/** Why a view that is still open should not be. */
function reasonAgainst({ proposal }: View, actors: readonly Actor[]): string | undefined {
  const asked = actors.flatMap(({ requests }) => requests).find(({ contents }) => contents === proposal.newText);
  if (asked === undefined) return `${proposal.newText}: no agent proposed it`;
  const { isLeft, isCancelled, mayClose } = asked;
  return isLeft || isCancelled || mayClose ? `${proposal.newText}: its agent has closed it` : undefined;
}

/** What is wrong with how a proposal ended. */
function flawOf(request: Asked): string | undefined {
  const { agent, id, contents, answer, decision, isCancelled, isLeft, mayClose } = request;
  const count = agent.answers.get(id) ?? 0;
  if (count > 1) return `${contents}: ${count} answers`;
  if (isLeft || (isCancelled && answer === undefined)) return undefined;
  if (answer === undefined) return `${contents}: no answer`;
  if (decision?.kind === 'accepted') {
    return answer[0] === 'FILE_SAVED' && answer[1] === decision.text ? undefined : `${contents}: got ${answer}`;
  }
  if (answer[0] !== 'DIFF_REJECTED') return `${contents}: got ${answer}`;
  return decision?.kind === 'rejected' || mayClose ? undefined : `${contents}: closed for no reason`;
}

class Actor {
  readonly agent: Agent;
  readonly requests: Asked[] = [];
  isHere = true;
  readonly #name: string;
  readonly #dialect: Dialect;

  constructor(agent: Agent, name: string, dialect: Dialect) {
    this.agent = agent;
    this.#name = name;
    this.#dialect = dialect;
  }

  static async connect(number: number): Promise<Actor> {
    const [dialect, adapter] =
      number % 2 === 0 ? (['claude-code', bridge.agents[0]] as const) : (['jetbrains', bridge.agents[1]] as const);
    const { authToken } = JSON.parse(readFileSync(adapter?.discoveryFiles[0] ?? '', 'utf8'));
    const agent = await connectAgent(adapter?.endpoints[0] ?? '', authToken, dialect);
    await agent.initialize();
    return new Actor(agent, `agent ${number}`, dialect);
  }

  get open(): Asked[] {
    return this.requests.filter(({ answer, isCancelled }) => answer === undefined && !isCancelled);
  }

  propose(tab: string): void {
    this.#mayClose((other) => other.tab === tab);
    const contents = `${this.#name}, proposal ${this.requests.length}`;
    const path = this.#dialect === 'claude-code' ? { new_file_path: 'a.ts' } : {};
    const args = { old_file_path: 'a.ts', ...path, new_file_contents: contents, tab_name: tab };
    const request = this.agent.begin('tools/call', { name: 'openDiff', arguments: args });
    this.requests.push(new Asked(this.agent, request, contents, tab));
  }

  closeTab(tab_name: string): void {
    this.#mayClose(({ tab }) => tab === tab_name);
    this.agent.call('close_tab', { tab_name }).catch(() => {});
  }

  closeAll(): void {
    if (this.#dialect === 'jetbrains') return;
    this.#mayClose(() => true);
    this.agent.call('closeAllDiffTabs').catch(() => {});
  }

  cancel(asked: Asked | undefined): void {
    if (asked === undefined) return;
    asked.isCancelled = true;
    this.agent.notify('notifications/cancelled', { requestId: asked.id });
  }

  leave(): void {
    this.isHere = false;
    for (const asked of this.open) asked.isLeft = true;
    this.agent.close();
  }

  /** Resolves when everything that will be answered has been. */
  async finished(): Promise<void> {
    if (!this.isHere) return;
    const expected = this.requests.filter(({ isCancelled }) => !isCancelled);
    await Promise.all(expected.map(({ answered }) => answered));
    await this.agent.settled();
  }

  /** Resolves when each open proposal is on the screen or has ended. */
  async shownOrEnded(): Promise<void> {
    if (!this.isHere) return;
    await Promise.all(this.open.map(({ contents, answered }) => Promise.race([screen.shows(contents), answered])));
  }

  #mayClose(which: (asked: Asked) => boolean): void {
    for (const asked of this.requests) if (which(asked)) asked.mayClose = true;
  }
}

interface Random {
  below(limit: number): number;
  /** One of them; undefined when there is none. */
  of<T>(items: readonly T[]): T | undefined;
}

function seeded(seed: number): Random {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % limit;
  };
  return { below, of: (items) => items[below(Math.max(1, items.length))] };
}
