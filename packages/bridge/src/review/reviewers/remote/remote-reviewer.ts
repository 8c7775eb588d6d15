import { ErrorCode, type ParamsOf, type ResultOf } from '@hawser/editor-protocol';
import { RpcError } from '@hawser/mcp';
import type { OpenReview, Reviewer } from '../../reviewer.ts';
import { type ReviewChannel, ShownReview } from './shown-review.ts';

/** Shows proposals in an editor that speaks the editor protocol. */
export class RemoteReviewer implements Reviewer {
  readonly name: string;
  readonly #channel: ReviewChannel;
  readonly #shown = new Map<string, ShownReview>();

  constructor(name: string, channel: ReviewChannel) {
    this.name = name;
    this.#channel = channel;
  }

  show(review: OpenReview): void {
    const { id, effect = 'edit', path, agent } = review.proposal;
    if (!this.#channel.effects.includes(effect)) {
      this.#channel.inform(`${agent} waits for a decision about ${path}, which is not shown here; run hawser review`);
      return;
    }
    const shown = new ShownReview(review, this.#channel);
    this.#shown.set(id, shown);
    review.signal.addEventListener('abort', () => this.#shown.delete(id), { once: true });
    shown.open();
  }

  async decide({ id, revision, decision }: ParamsOf<'proposal/decide'>): Promise<ResultOf<'proposal/decide'>> {
    const result = await this.#find(id).decide(decision, revision);
    if (result.kind === 'unknown') throw unknownProposal(id);
    return result;
  }

  hunks({ id, ...edited }: ParamsOf<'proposal/hunks'>): ResultOf<'proposal/hunks'> {
    return this.#find(id).hunksOfEdited(edited);
  }

  #find(id: string): ShownReview {
    const shown = this.#shown.get(id);
    if (shown === undefined) throw unknownProposal(id);
    return shown;
  }
}

function unknownProposal(id: string): RpcError {
  return new RpcError(ErrorCode.unknownProposal, `No proposal ${id} is open`);
}
