import { TrafficFeed } from '@hawser/client/traffic-feed';
import { type Connection, ErrorCode, Peer, type Request, RpcError } from '@hawser/mcp';
import type { Access } from '../access/access.ts';
import type { SharedEditor } from '../access/shared-editor.ts';
import type { BridgeIdentity, OpenAdapter } from '../agent.ts';
import { type Editor, lastLineOf } from '../editor.ts';
import type { AboutCall, AnswerHook, HookOutput } from '../gate.ts';
import type { LastChanges } from '../review/last-changes.ts';
import type { Proposal } from '../review/proposal.ts';
import { type DecideResult, type OpenReview, ReviewEnded } from '../review/reviewer.ts';
import type { Reviewing } from '../reviewing.ts';
import type { Traffic } from '../traffic/traffic.ts';
import { Arguments } from './arguments.ts';
import {
  clientStatus,
  Event,
  Method,
  PROTOCOL,
  type ProposalSummary,
  Refusal,
  type Shared,
  type Status,
  summaryOf,
} from './calls.ts';
import { mentionAudience } from './mention-audience.ts';
import { PAGE_CALLS, PAGE_METHODS } from './page-calls.ts';
import type { ReviewPages } from './pages.ts';
import { readably, VIEW_CALLS } from './view-calls.ts';

/** The parts of a running bridge that its commands control. */
export interface Controlled extends Omit<Reviewing, 'agentsChanged' | 'close'> {
  readonly identity: BridgeIdentity;
  readonly editor: Editor;
  readonly shared: SharedEditor;
  readonly access: Access;
  /** Asked each time: adapters open after the control does. */
  readonly agents: () => readonly OpenAdapter[];
  /** Adapters that could not be opened. */
  readonly failures: () => readonly { readonly name: string; readonly error: Error }[];
  readonly lastChanges: Pick<LastChanges, 'of'>;
  /** See `Status`. */
  readonly gates?: (() => Promise<readonly string[]>) | undefined;
  readonly traffic: Traffic;
  /** Windows of editors can join. */
  readonly acceptsEditors: boolean;
  /** Undefined if this bridge serves no page. */
  readonly pages?: ReviewPages | undefined;
  /** Undefined if this bridge answers no hooks. */
  readonly answerHook?: AnswerHook | undefined;
  /** Ends the bridge; called after the caller was answered. */
  readonly stop: () => void;
}

const MAX_REVIEWERS = 64;

/** Who has connected: a command may do everything, a page what `PAGE_METHODS` names. `name` is shown to the user. */
export type Caller = { readonly kind: 'command' } | { readonly kind: 'page'; readonly name: string; closed(): void };

interface AttachedReviewer {
  readonly name: string;
  /** Settles when it was sent what is open. */
  readonly isShown: Promise<void>;
  readonly detach: () => void;
}

/** Answers the user's commands, and the pages in their browsers. */
export class Control {
  readonly #controlled: Controlled;
  readonly #peers = new Set<Peer>();
  /** How each connection that reviews is called, and what detaches it. */
  readonly #reviewers = new Map<Peer, AttachedReviewer>();
  readonly #stops: readonly (() => void)[];
  /** Stop watching the messages of agents. */
  readonly #watches = new Map<Peer, () => void>();
  #isStatusDue = false;
  #diagnosticsRevision = 0;

  constructor(controlled: Controlled) {
    this.#controlled = controlled;
    const { reviews, access, editor } = controlled;
    this.#stops = [
      reviews.subscribe(() => this.changed()),
      access.subscribe(() => this.changed()),
      editor.subscribe(({ kind }) => {
        if (kind === 'diagnostics') this.#diagnosticsRevision += 1;
        if (kind !== 'mention' && kind !== 'documents') this.changed();
      }),
    ];
  }

  connect(connection: Connection, caller: Caller = { kind: 'command' }): void {
    const peer: Peer = new Peer(connection, {
      respond: (request, { signal }) => {
        if (caller.kind === 'page' && !PAGE_METHODS.has(request.method)) {
          throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${request.method}`);
        }
        if (request.method === Method.watchTraffic) return this.#watchTraffic(peer, connection);
        if (request.method === Method.review && caller.kind === 'page') return this.#attach(peer, caller.name);
        const call = VIEW_CALLS.get(request.method) ?? PAGE_CALLS.get(request.method);
        if (call === undefined) return this.#answer(peer, request, signal);
        return readably(() => call(new Arguments(request.params), this.#controlled, signal));
      },
      batchRefusal: () => 'Invalid request: batches are not answered here',
      closed: () => {
        this.#peers.delete(peer);
        this.#reviewers.get(peer)?.detach();
        this.#reviewers.delete(peer);
        this.#watches.get(peer)?.();
        this.#watches.delete(peer);
        if (caller.kind === 'page') caller.closed();
      },
    });
    this.#peers.add(peer);
    peer.start();
  }

  /** The status has changed. Reviewers receive one event for all changes of one turn of the event loop. */
  changed(): void {
    if (this.#isStatusDue || this.#reviewers.size === 0) return;
    this.#isStatusDue = true;
    setImmediate(() => {
      this.#isStatusDue = false;
      this.#status().then(
        (status) => {
          for (const peer of this.#reviewers.keys()) peer.notify(Event.status, { ...status });
        },
        // The editor can't answer because it has ended, and so will the bridge.
        () => {},
      );
    });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#peers].map((peer) => peer.close('The bridge has ended')));
  }

  #answer(peer: Peer, { method, params }: Request, signal: AbortSignal): unknown {
    const { access, identity, agents, stop } = this.#controlled;
    switch (method) {
      case Method.status:
        return this.#status();
      case Method.list:
        return this.#list(peer);
      case Method.get:
        return this.#openProposal(new Arguments(params).text('id'));
      case Method.decide:
        return this.#decide(new Arguments(params), this.#reviewers.get(peer)?.name ?? 'hawser review');
      case Method.undo:
        return readably(() => this.#controlled.undo(new Arguments(params).optionalText('id')));
      case Method.review:
        return this.#attach(peer, new Arguments(params).optionalText('name') ?? 'hawser review');
      case Method.pause:
        access.paused = true;
        return {};
      case Method.resume:
        access.paused = false;
        return {};
      case Method.mention:
        return this.#mention(new Arguments(params));
      case Method.environment:
        return Object.assign({}, ...agents().map(({ environment }) => environment));
      case Method.answerHook:
        return readably(() => this.#answerHook(new Arguments(params), signal));
      case Method.stop:
        setImmediate(stop);
        return { pid: identity.pid };
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  #answerHook(args: Arguments, signal: AbortSignal): Promise<HookOutput> {
    const { answerHook } = this.#controlled;
    if (answerHook === undefined) throw new Error('This bridge has no gate');
    // Sent by the hook, which is ours.
    return answerHook(args.text('agent'), args.value('input'), signal, args.value('about') as AboutCall | undefined);
  }

  #watchTraffic(peer: Peer, connection: Connection): object {
    if (this.#watches.has(peer)) throw new RpcError(ErrorCode.InvalidRequest, 'This connection watches already');
    const feed = new TrafficFeed({
      send: (batch) => peer.notify(Event.traffic, { ...batch }),
      drained: () => connection.drained(),
    });
    const stop = this.#controlled.traffic.watch((entry) => feed.add(entry));
    this.#watches.set(peer, () => {
      stop();
      feed.close();
    });
    return {};
  }

  /** The answer is the status; each open proposal follows as an event. */
  async #attach(peer: Peer, name: string): Promise<Status> {
    if (this.#reviewers.has(peer)) throw new RpcError(ErrorCode.InvalidRequest, 'This connection reviews already');
    if (this.#reviewers.size >= MAX_REVIEWERS) {
      // Its connection would only take the place of a command's.
      setImmediate(() => void peer.close('Too many reviewers'));
      throw new RpcError(Refusal.tooMany, `${MAX_REVIEWERS} reviewers are attached already; close one of them first`);
    }
    let shown = () => {};
    const isShown = new Promise<void>((resolve) => {
      shown = resolve;
    });
    this.#reviewers.set(peer, { name, isShown, detach: () => {} });
    const status = await this.#status();
    const show = (review: OpenReview) => {
      const { id } = review.proposal;
      peer.notify(Event.added, { ...review.proposal });
      review.onRefresh(() => peer.notify(Event.refreshed, { ...review.proposal }));
      review.signal.addEventListener('abort', () => {
        const { reason } = review.signal;
        if (reason instanceof ReviewEnded) peer.notify(Event.removed, { id, outcome: reason.outcome });
      });
    };
    // After the answer, so that the caller knows it before the first proposal.
    setImmediate(() => {
      shown();
      if (!this.#reviewers.has(peer)) return;
      this.#reviewers.set(peer, { name, isShown, detach: this.#controlled.reviews.attach({ name, show }) });
    });
    return status;
  }

  /** A reviewer was shown what is open before it gets the list. */
  async #list(peer: Peer): Promise<readonly ProposalSummary[]> {
    await this.#reviewers.get(peer)?.isShown;
    return this.#controlled.reviews.list().map(summaryOf);
  }

  /** A caller that names no revision means the first one. */
  #decide(args: Arguments, by: string): Promise<DecideResult> {
    const [id, decision] = [this.#findId(args.text('id')), args.decision('decision')];
    return this.#controlled.reviews.decide(id, decision, args.optionalIndex('revision') ?? 0, by);
  }

  #openProposal(id: string): Proposal {
    const found = this.#findId(id);
    const proposal = this.#controlled.reviews.get(found);
    if (proposal === undefined) throw new RpcError(Refusal.noProposal, `Proposal ${id} is no longer open`);
    return proposal;
  }

  /** The complete id of a proposal, open or ended, from its first characters. */
  #findId(start: string): string {
    const ids = start.length < SHORTEST_ID ? [] : this.#controlled.reviews.idsStartingWith(start);
    const [only] = ids;
    if (ids.length > 1) {
      throw new RpcError(Refusal.noProposal, `More than one proposal starts with ${start}: ${ids.join(', ')}`);
    }
    if (only === undefined)
      throw new RpcError(Refusal.noProposal, `There is no proposal ${start}; see hawser review --list`);
    return only;
  }

  async #mention(args: Arguments): Promise<{ agents: number }> {
    const { access, shared, agents } = this.#controlled;
    const [path, first, last] = [args.text('path'), args.optionalIndex('first'), args.optionalIndex('last')];
    if (access.paused) throw new RpcError(Refusal.paused, 'Paused: agents get nothing until `hawser resume`');
    const lines = first === undefined ? undefined : { first, last: Math.max(first, last ?? first) };
    await shared.mention(path, lines).catch((error: Error) => {
      throw new RpcError(Refusal.notShared, error.message);
    });
    const { recipients, others } = mentionAudience(agents());
    if (recipients.length === 0 && others.length > 0) {
      const names = others.join(', ');
      const message = `No agent that takes mentions is connected: ${names} ${others.length === 1 ? 'has' : 'have'} no message for them`;
      throw new RpcError(Refusal.failed, message);
    }
    return { agents: recipients.length };
  }

  async #status(): Promise<Status> {
    const { identity, editor, access, reviews, agents, failures, keptFiles, lastChanges } = this.#controlled;
    const { pid, version, hawserVersion = version, isStandIn } = identity;
    const ruled = this.#controlled.ruled();
    const web = this.#controlled.pages?.served() ?? [];
    return {
      protocol: PROTOCOL,
      pid,
      version: hawserVersion,
      ...(isStandIn === true && { isStandIn }),
      editor: editor.name,
      folders: access.folders,
      paused: access.paused,
      agents: agents().map((agent) => ({
        name: agent.name,
        endpoints: agent.endpoints,
        discoveryFiles: agent.discoveryFiles,
        clients: agent.clients().map((client) => clientStatus(client, lastChanges)),
      })),
      ...(failures().length > 0 && {
        failures: failures().map(({ name, error }) => ({ name, problem: error.message })),
      }),
      ...(editor.languagePrograms && { languagePrograms: await editor.languagePrograms() }),
      ...(editor.uncheckedLanguages && { uncheckedLanguages: await editor.uncheckedLanguages() }),
      ...(this.#controlled.gates && { gates: await this.#controlled.gates() }),
      shared: await this.#shared(),
      proposals: reviews.list().length,
      ...(ruled !== undefined && { ruled }),
      ...(keptFiles().length > 0 && { kept: keptFiles() }),
      reviewers: reviews.reviewerNames(),
      ...(editor.diagnostics && { diagnosticsRevision: this.#diagnosticsRevision }),
      selectsInViews: editor.isWindowless === true,
      ...(access.deny.length > 0 && { deny: access.deny }),
      ...(this.#controlled.acceptsEditors && { acceptsEditors: true }),
      ...(web.length > 0 && { web }),
    };
  }

  async #shared(): Promise<Shared> {
    const { editor, access } = this.#controlled;
    const selection = await editor.selection();
    if (access.paused) return { kind: 'nothing', reason: 'paused' };
    if (selection === undefined) return { kind: 'nothing', reason: 'no open file' };
    const { path, range, text } = selection;
    const visibility = await access.visibility(path);
    if (visibility !== 'visible') return { kind: 'nothing', reason: visibility };
    if (text === '') return { kind: 'file', path };
    return { kind: 'selection', path, first: range.start.line, last: lastLineOf(range) };
  }
}

/** Fewer characters of an id are too easily mistyped. */
const SHORTEST_ID = 4;
