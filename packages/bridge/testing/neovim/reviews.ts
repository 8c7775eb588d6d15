import type { Decision } from '../../src/review/proposal.ts';
import type { NeovimUser } from './user.ts';

/** A user whose decisions are known beforehand, and who acts on each proposal when it is shown. */
export class Reviews {
  readonly #user: NeovimUser;
  readonly #planned = new Map<string, Decision | 'dismissed'>();
  readonly #done = new Set<string>();
  #isWatching = false;
  #isStopped = false;

  constructor(user: NeovimUser) {
    this.#user = user;
  }

  /** Resolves when it is done, or when other proposals are to be decided first. */
  async decide(id: string, plan: Decision | 'dismissed'): Promise<void> {
    if (this.#planned.has(id)) return;
    this.#planned.set(id, plan);
    if (!this.#isWatching) void this.#watch();
    while (!this.#isStopped && !this.#done.has(id)) {
      const pending: { id: string }[] = await this.#user.lua("return require('hawser.diff').pending()");
      if (Array.isArray(pending) && pending.findIndex((each) => each.id === id) > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (!this.#isStopped) {
      const shown: string | null = await this.#user
        .lua(
          "local first = require('hawser.diff').pending()[1] return first and first.state == 'shown' and first.id or nil",
        )
        .catch(() => null);
      const plan = shown === null ? undefined : this.#planned.get(shown);
      if (shown !== null && plan !== undefined) {
        await this.#act(shown, plan).catch(() => undefined);
        this.#done.add(shown);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #act(id: string, plan: Decision | 'dismissed'): Promise<void> {
    if (plan === 'dismissed') {
      await this.#user.lua(`${FIND} vim.api.nvim_win_close(vim.fn.bufwinid(buf), true)`, id);
    } else if (plan.kind !== 'accepted') {
      await this.#user.lua("require('hawser.diff').reject(...)", id);
    } else {
      const lines = (plan.text ?? '').split('\n');
      const hasFinalLineEnd = lines.at(-1) === '';
      if (hasFinalLineEnd) lines.pop();
      await this.#user.lua(
        `${FIND}
         vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
         vim.bo[buf].endofline = eol
         require('hawser.diff').accept(id)`,
        id,
        lines,
        hasFinalLineEnd,
      );
    }
  }
}

/** The buffer of the proposed text. */
const FIND = `local id, lines, eol = ...
  local buf = require('hawser.diff').find(id).view.pair.new`;
