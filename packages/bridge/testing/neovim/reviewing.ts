import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { RemoteEditor } from '../../src/editors/remote/remote-editor.ts';
import type {
  NoteDelivery,
  OutcomeSummary,
  Proposal,
  ProposalBase,
  ProposalEffect,
} from '../../src/review/proposal.ts';
import { resolveDecision } from '../../src/review/resolve-decision.ts';
import { type DecideResult, ReviewEnded } from '../../src/review/reviewer.ts';
import { acceptNeovim } from './attach.ts';

export interface Shown {
  readonly id?: string;
  readonly path?: string;
  readonly agent?: string;
  readonly old?: string;
  readonly new: string;
  readonly base?: ProposalBase;
  readonly effect?: ProposalEffect;
  readonly advice?: string;
  readonly noteDelivery?: NoteDelivery;
}

export type Decision = readonly [id: string, kind: 'accepted', text: string] | readonly [id: string, kind: 'rejected'];

interface OpenProposal {
  proposal: Proposal;
  readonly ending: AbortController;
  refresh: () => void;
}

/** Lua that lets Neovim connect to a test that listens there. */
export const CONNECT = `require('hawser.bridge').connect(vim.fn.sockconnect('pipe', ..., { rpc = true }))`;

/** The editor and the reviewer of the bridge, which a Neovim connects to, and proposals that a test makes. */
export class Reviewing {
  readonly decisions: Decision[] = [];
  /** Why proposals could not be shown. */
  readonly problems: string[] = [];
  readonly #editor: RemoteEditor;
  readonly #open = new Map<string, OpenProposal>();

  /** `connect` makes Neovim run CONNECT with this path. */
  static async accept(socketPath: string, connect: () => Promise<unknown>): Promise<Reviewing> {
    const server = createServer().listen(socketPath);
    try {
      await once(server, 'listening');
      const coming = once(server, 'connection');
      await connect();
      const [socket] = (await coming) as [Socket];
      socket.on('error', () => undefined);
      return new Reviewing(await acceptNeovim(socket, socket));
    } finally {
      server.close();
    }
  }

  private constructor(editor: RemoteEditor) {
    this.#editor = editor;
  }

  show({
    id = 'p',
    path = '/tmp/a.txt',
    agent = 'Claude Code',
    base = 'original',
    effect,
    advice,
    noteDelivery,
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
      ...(noteDelivery && { noteDelivery }),
    };
    const ending = new AbortController();
    const open: OpenProposal = { proposal, ending, refresh: () => {} };
    this.#open.set(id, open);
    this.#editor.reviewer?.show({
      get proposal() {
        return open.proposal;
      },
      signal: ending.signal,
      decide: async (decision, revision): Promise<DecideResult> => {
        if (revision !== open.proposal.revision) return { kind: 'stale', revision: open.proposal.revision };
        const resolved = resolveDecision(decision, open.proposal);
        const isAccepted = resolved.kind === 'accepted';
        this.decisions.push(isAccepted ? [id, 'accepted', resolved.text] : [id, 'rejected']);
        const by = 'Neovim';
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
    this.replace(id, { ...change, revision: (this.#open.get(id)?.proposal.revision ?? 0) + 1 });
  }

  replace(id: string, change: Partial<Proposal>): void {
    const open = this.#open.get(id);
    if (open === undefined) throw new Error(`Not open: ${id}`);
    open.proposal = { ...open.proposal, ...change };
    open.refresh();
  }

  end(id: string, outcome: OutcomeSummary): void {
    this.#open.get(id)?.ending.abort(new ReviewEnded(outcome));
    this.#open.delete(id);
  }

  /** Resolves when Neovim has done all that was sent to it, and what it asked then was answered: messages come in order. */
  async synced(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await this.#editor.link.request('editor/close', { uri: 'file:///nowhere' }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await this.#editor.close();
  }
}
