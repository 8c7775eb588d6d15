import type { DiffDecision, Proposal } from './editor.ts';

/**
 * The open proposals of all agents. Each belongs to the client and the request that opened it, and ends exactly once:
 * by a decision, by a failure to show it, or closed. What comes later is ignored.
 */
export class Proposals {
  readonly #byClient = new Map<object, Set<OpenProposal>>();
  readonly #departed = new WeakSet<object>();

  /**
   * Shows a proposal and waits for its end. It is `closed`, and the signal given to `show` aborts, when the client
   * leaves, the request's signal aborts, the client closes the tab, or opens another under the same name. After a
   * decision the signal never aborts. When `show` fails while the proposal is open, this rejects with its error.
   */
  open<P = Proposal>(opening: ProposalOpening<P>, show: ShowProposal<P>): Promise<ProposalOutcome> {
    const { client, tabName, request, proposal } = opening;
    // A handler that was still reading the file when its client left must not open what nobody could close.
    if (request.aborted || this.#departed.has(client)) return Promise.resolve({ kind: 'closed' });
    return new Promise((resolve, reject) => {
      const view = new AbortController();
      const cancelled = () => entry.close('its request was cancelled');
      const end = (settle: () => void): boolean => {
        if (!this.#remove(client, entry)) return false;
        request.removeEventListener('abort', cancelled);
        settle();
        return true;
      };
      const entry: OpenProposal = {
        tabName,
        close: (why) => {
          const isFirst = end(() => resolve({ kind: 'closed' }));
          if (isFirst) view.abort(new ProposalClosed(`Proposal closed: ${why}`));
          return isFirst;
        },
      };
      const replaced = this.#named(client, tabName);
      this.#add(client, entry);
      request.addEventListener('abort', cancelled);
      // Ours is registered first: whatever the listeners of the replaced one do, one of that name remains.
      replaced?.close('another was opened under its name');
      if (view.signal.aborted) return;
      shown(() => show(proposal, { signal: view.signal })).then(
        (decision) => end(() => resolve(decision)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  /** Closes the client's proposal of that name. False when it has none, which is no error: agents close twice. */
  close(client: object, tabName: string): boolean {
    return this.#named(client, tabName)?.close('the agent closed it') ?? false;
  }

  /** Closes what this client has open, and says how many that were. */
  closeAll(client: object): number {
    return this.#closeAll(client, 'the agent closed all of its proposals');
  }

  /** Closes what this client has open; whatever it opens from now on is closed at once. */
  leave(client: object): void {
    this.#departed.add(client);
    this.#closeAll(client, 'the agent left');
  }

  /** How many are open: of one client, or of all. */
  count(client?: object): number {
    if (client !== undefined) return this.#byClient.get(client)?.size ?? 0;
    return [...this.#byClient.values()].reduce((sum, entries) => sum + entries.size, 0);
  }

  #closeAll(client: object, why: string): number {
    // A copy: listeners of an aborted signal may open and close others meanwhile.
    const entries = [...(this.#byClient.get(client) ?? [])];
    return entries.filter((entry) => entry.close(why)).length;
  }

  #named(client: object, tabName: string | undefined): OpenProposal | undefined {
    if (tabName === undefined) return undefined;
    return [...(this.#byClient.get(client) ?? [])].find((entry) => entry.tabName === tabName);
  }

  #add(client: object, entry: OpenProposal): void {
    const entries = this.#byClient.get(client);
    if (entries === undefined) this.#byClient.set(client, new Set([entry]));
    else entries.add(entry);
  }

  /** True for the first end of an entry alone. */
  #remove(client: object, entry: OpenProposal): boolean {
    const entries = this.#byClient.get(client);
    const wasOpen = entries?.delete(entry) ?? false;
    if (entries?.size === 0) this.#byClient.delete(client);
    return wasOpen;
  }
}

export interface ProposalOpening<P = Proposal> {
  /** Whoever proposes: one connection, told apart by identity. */
  readonly client: object;
  /** What the client will call it when it closes it; one without a name closes with its request or its client. */
  readonly tabName: string | undefined;
  /** Aborts when the request that proposes is cancelled. */
  readonly request: AbortSignal;
  /** Handed to `show`. */
  readonly proposal: P;
}

export type ShowProposal<P = Proposal> = (
  proposal: P,
  options: { readonly signal: AbortSignal },
) => Promise<DiffDecision>;

export type ProposalOutcome = DiffDecision | { readonly kind: 'closed' };

/** The reason of the signal that `show` gets. */
export class ProposalClosed extends Error {
  override readonly name = 'ProposalClosed';
}

interface OpenProposal {
  readonly tabName: string | undefined;
  /** False when it had ended. */
  readonly close: (why: string) => boolean;
}

/** An exception of `show` as a rejection. */
async function shown(show: () => Promise<DiffDecision>): Promise<DiffDecision> {
  return await show();
}
