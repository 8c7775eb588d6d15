import { type Connection, ErrorCode, Peer, type Request, RpcError } from '@hawser/mcp';
import type { Access } from '../access/access.ts';
import type { OpenAdapter } from '../agent.ts';
import type { Desk, Ending } from '../desk.ts';
import type { Editor, Proposal } from '../editor.ts';
import { type Choice, hunksOfChange } from '../review/hunks/decide.ts';
import { Arguments, Event, Method, Refusal, type Shared, type Status, type Summary, type WireChoice } from './calls.ts';

/** The parts of a running bridge that its person has a say in. */
export interface Controlled {
  readonly pid: number;
  readonly version: string;
  /** What becomes of proposals. */
  readonly review: string;
  readonly editor: Editor;
  readonly access: Access;
  readonly desk: Desk;
  /** Asked anew each time: they open after the control does. */
  readonly doors: () => readonly OpenAdapter[];
  /** Points agents to a file. Absent when the editor alone can do that. */
  readonly mention?: ((path: string, lines?: { readonly first: number; readonly last: number }) => void) | undefined;
  /** Ends the bridge; called after the caller was answered. */
  readonly stop: () => void;
}

/** Answers the commands of the bridge's own person. Whoever is connected may do everything. */
export class Control {
  readonly #controlled: Controlled;
  readonly #peers = new Set<Peer>();
  readonly #watching = new Set<Peer>();
  readonly #stops: readonly (() => void)[];
  #tellsSoon = false;

  constructor(controlled: Controlled) {
    this.#controlled = controlled;
    const { desk, access, editor } = controlled;
    this.#stops = [
      desk.subscribe((event) => {
        if (event.kind === 'came') this.#tell(Event.came, { ...summaryOf(event.proposal) });
        else this.#tell(Event.went, { id: event.id, ending: event.ending });
        this.changed();
      }),
      access.subscribe(() => this.changed()),
      editor.subscribe(({ kind }) => {
        if (kind === 'selection' || kind === 'workspace') this.changed();
      }),
    ];
  }

  connect(connection: Connection): void {
    const peer: Peer = new Peer(connection, {
      answer: (request) => this.#answer(peer, request),
      hear: () => {},
      abandoned: () => {},
      complaint: () => {},
      batchRefusal: () => 'Invalid request: batches are not answered here',
      unreadableId: () => null,
      closed: () => {
        this.#peers.delete(peer);
        this.#watching.delete(peer);
      },
    });
    this.#peers.add(peer);
    peer.start();
  }

  /** Something that the status tells has changed. Told once for all that changes in one turn. */
  changed(): void {
    if (this.#tellsSoon || this.#watching.size === 0) return;
    this.#tellsSoon = true;
    setImmediate(() => {
      this.#tellsSoon = false;
      // An editor that cannot say what it shows has ended, and so will we.
      this.#status().then(
        (status) => this.#tell(Event.changed, { ...status }),
        () => {},
      );
    });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#peers].map((peer) => peer.close('The bridge has ended')));
  }

  #answer(peer: Peer, { method, params }: Request): unknown {
    const { desk, access } = this.#controlled;
    switch (method) {
      case Method.status:
        return this.#status();
      case Method.list:
        return desk.list().map(summaryOf);
      case Method.get: {
        const proposal = this.#open(new Arguments(params).text('id'));
        return { ...summaryOf(proposal), oldText: proposal.oldText, newText: proposal.newText };
      }
      case Method.decide:
        return this.#decide(new Arguments(params));
      case Method.watch:
        return this.#watch(peer);
      case Method.pause:
        access.paused = true;
        return {};
      case Method.resume:
        access.paused = false;
        return {};
      case Method.mention:
        return this.#mention(new Arguments(params));
      case Method.stop:
        setImmediate(this.#controlled.stop);
        return { pid: this.#controlled.pid };
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
  }

  async #watch(peer: Peer): Promise<{ status: Status; proposals: readonly Summary[] }> {
    const status = await this.#status();
    // Together, so that none is missed and none is told twice.
    this.#watching.add(peer);
    return { status, proposals: this.#controlled.desk.list().map(summaryOf) };
  }

  #decide(args: Arguments): Ending {
    const { desk } = this.#controlled;
    const [proposal, choice] = [this.#open(args.text('id')), args.choice('choice')];
    const verdict = desk.decide(proposal.id, asChoice(choice, proposal));
    if (verdict.kind === 'decided') return verdict.ending;
    throw verdict.kind === 'ended' ? endedAlready(proposal.id, verdict.ending) : noProposal(proposal.id);
  }

  /** By its id, or by how that begins. */
  #open(id: string): Proposal {
    const { desk } = this.#controlled;
    const ids = id.length < SHORTEST_ID ? [] : desk.idsLike(id);
    const [only] = ids;
    if (ids.length > 1) {
      throw new RpcError(Refusal.noProposal, `More than one proposal begins with ${id}: ${ids.join(', ')}`);
    }
    const found = only === undefined ? undefined : desk.find(only);
    if (found === undefined) throw noProposal(id);
    if ('kind' in found) throw endedAlready(id, found);
    return found;
  }

  async #mention(args: Arguments): Promise<{ agents: number }> {
    const { access, mention } = this.#controlled;
    const [named, first, last] = [args.text('path'), args.optionalIndex('first'), args.optionalIndex('last')];
    if (mention === undefined) throw new RpcError(Refusal.notShared, 'Mention files from the editor itself');
    if (access.paused) throw new RpcError(Refusal.paused, 'Paused: agents are told nothing until `hawser resume`');
    const path = await access.resolve(named, { for: 'read' }).catch((error: Error) => {
      throw new RpcError(Refusal.notShared, error.message);
    });
    if (first === undefined) mention(path);
    else mention(path, { first, last: Math.max(first, last ?? first) });
    return { agents: this.#controlled.doors().flatMap((door) => door.clients().filter(isReady)).length };
  }

  async #status(): Promise<Status> {
    const { pid, version, review, editor, access, desk, doors } = this.#controlled;
    return {
      pid,
      version,
      folders: await editor.workspaceFolders(),
      review,
      paused: access.paused,
      doors: doors().map((door) => ({
        name: door.name,
        address: door.address,
        lockPath: door.lockPath,
        clients: door.clients(),
      })),
      shared: await this.#shared(),
      proposals: desk.list().length,
    };
  }

  async #shared(): Promise<Shared> {
    const { editor, access } = this.#controlled;
    const selection = await editor.selection();
    if (access.paused) return { kind: 'nothing', why: 'paused' };
    if (selection === undefined) return { kind: 'nothing', why: 'nothing is open' };
    const { path, range, text } = selection;
    if (access.isDenied(path)) return { kind: 'nothing', why: 'denied' };
    if (text === '') return { kind: 'file', path };
    // A selection that ends before the first character of a line has nothing of that line.
    const last = range.end.character === 0 ? range.end.line - 1 : range.end.line;
    return { kind: 'selection', path, first: range.start.line, last };
  }

  #tell(event: string, params: { readonly [name: string]: unknown }): void {
    for (const peer of this.#watching) peer.notify(event, params);
  }
}

/** Fewer characters of an id are too easily mistyped. */
const SHORTEST_ID = 4;

function summaryOf({ id, path, title, from, oldText }: Proposal): Summary {
  return { id, path, title, from, isNewFile: oldText === undefined };
}

function asChoice(choice: WireChoice, proposal: Proposal): Choice {
  if (choice.kind !== 'some') return choice;
  const { length } = hunksOfChange(proposal);
  const missing = choice.hunks.find((hunk) => hunk >= length);
  if (missing === undefined) return { kind: 'some', accepted: new Set(choice.hunks) };
  // People count from 1.
  throw new RpcError(ErrorCode.InvalidParams, `There is no hunk ${missing + 1}; the change has ${length}`);
}

function noProposal(id: string): RpcError {
  return new RpcError(Refusal.noProposal, `There is no proposal ${id}; see hawser review --list`);
}

function endedAlready(id: string, ending: Ending): RpcError {
  const how = ending.kind === 'withdrawn' ? `withdrawn (${ending.why})` : ending.kind;
  return new RpcError(Refusal.endedAlready, `Proposal ${id} was ${how} before`, ending);
}

function isReady({ state }: { readonly state: string }): boolean {
  return state === 'ready';
}
