import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { NeovimLink } from '../../src/editors/neovim/link.ts';
import type { OutcomeSummary, Proposal, ProposalBase, ProposalEffect } from '../../src/review/proposal.ts';
import { resolveDecision } from '../../src/review/resolve-decision.ts';
import { type DecideResult, ReviewEnded } from '../../src/review/reviewer.ts';
import { type Layout, NeovimReviewer } from '../../src/review/reviewers/neovim/neovim-reviewer.ts';

export interface Shown {
  readonly id?: string;
  readonly path?: string;
  readonly agent?: string;
  readonly old?: string;
  readonly new: string;
  readonly base?: ProposalBase;
  readonly effect?: ProposalEffect;
  readonly advice?: string;
  readonly layout?: Layout;
}

export type Decision = readonly [id: string, kind: 'accepted', text: string] | readonly [id: string, kind: 'rejected'];

interface OpenProposal {
  proposal: Proposal;
  readonly ending: AbortController;
  refresh: () => void;
}

/** Lua that lets the views send what the user does to this channel. */
export const CONNECT = `
  local channel = ...
  require('hawser.diff.ready').watch_keys()
  require('hawser.channel').notify = function(...) vim.rpcnotify(channel, 'hawser', ...) end`;

/** The reviewer of the bridge, connected to the socket of a Neovim, and proposals that a test makes. */
export class Reviewing {
  readonly decisions: Decision[] = [];
  /** Why proposals could not be shown. */
  readonly problems: string[] = [];
  readonly #link: NeovimLink;
  readonly #reviewers: ReadonlyMap<Layout, NeovimReviewer>;
  readonly #open = new Map<string, OpenProposal>();

  static async connect(socketPath: string): Promise<Reviewing> {
    return new Reviewing(await connected(socketPath));
  }

  private constructor(socket: Socket) {
    this.#link = new NeovimLink({
      reader: socket,
      writer: socket,
      onEvent: (event, args) => {
        for (const reviewer of this.#reviewers.values()) reviewer.receive(event, args);
      },
      onEnd: () => socket.destroy(),
      onProblem: () => undefined,
    });
    const layouts = ['auto', 'split', 'inline', 'tab'] as const;
    this.#reviewers = new Map(layouts.map((layout) => [layout, new NeovimReviewer(this.#link, layout)]));
  }

  channel(): Promise<number> {
    return this.#link.channel();
  }

  show({
    id = 'p',
    path = '/tmp/a.txt',
    agent = 'Claude Code',
    base = 'original',
    layout = 'split',
    effect,
    advice,
    ...shown
  }: Shown): void {
    const proposal = {
      id,
      path,
      agent,
      title: id,
      oldText: shown.old,
      newText: shown.new,
      base,
      arrival: 0,
      revision: 0,
      turn: 0,
      ...(effect && { effect }),
      ...(advice && { advice }),
    };
    const ending = new AbortController();
    const open: OpenProposal = { proposal, ending, refresh: () => {} };
    this.#open.set(id, open);
    this.#reviewers.get(layout)?.show({
      get proposal() {
        return open.proposal;
      },
      signal: ending.signal,
      decide: async (decision, revision): Promise<DecideResult> => {
        if (revision !== open.proposal.revision) return { kind: 'stale', revision: open.proposal.revision };
        const resolved = resolveDecision(decision, open.proposal);
        const isAccepted = resolved.kind === 'accepted';
        this.decisions.push(isAccepted ? [id, 'accepted', resolved.text] : [id, 'rejected']);
        const by = 'neovim';
        const outcome: OutcomeSummary = isAccepted
          ? { kind: 'accepted', text: 'changed', writer: 'agent', by }
          : { kind: 'rejected', by };
        this.end(id, outcome);
        return { kind: 'decided', outcome };
      },
      onRefresh: (listener) => {
        open.refresh = listener;
      },
      fail: (problem) => this.problems.push(problem.message),
    });
  }

  refresh(id: string, change: Partial<Proposal>): void {
    const open = this.#open.get(id);
    if (open === undefined) throw new Error(`Not open: ${id}`);
    open.proposal = { ...open.proposal, ...change, revision: open.proposal.revision + 1 };
    open.refresh();
  }

  end(id: string, outcome: OutcomeSummary): void {
    this.#open.get(id)?.ending.abort(new ReviewEnded(outcome));
    this.#open.delete(id);
  }

  /** Resolves when Neovim has done all that was sent to it: answers come in order. */
  async synced(): Promise<void> {
    await this.#link.call('lines', ['/nowhere']);
  }

  close(): void {
    this.#link.close();
  }
}

/** The file of the socket can be there a moment before Neovim accepts connections. */
async function connected(path: string): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isConnected) {
      socket.on('error', () => undefined);
      return socket;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
