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
    if (this.#planned.has(id) && !this.#done.has(id)) return;
    this.#done.delete(id);
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
      if (shown !== null && plan !== undefined && !this.#done.has(shown)) {
        await this.#act(shown, plan).catch(() => undefined);
        this.#done.add(shown);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #act(id: string, plan: Decision | 'dismissed'): Promise<void> {
    if (plan === 'dismissed') {
      await this.#user.lua(`${FIND} vim.api.nvim_win_close(vim.fn.bufwinid(buf), true)`, id);
      return;
    }
    const { marks = [] } = plan.kind === 'changesRequested' ? plan : {};
    for (const [index, mark] of marks.entries()) {
      if (mark !== 'undecided') await this.#user.lua(CHOOSE, id, index + 1, mark);
    }
    for (const { text, lines } of plan.notes ?? []) {
      await this.#user.lua(NOTE, id, text, lines?.side ?? '', (lines?.first ?? 0) + 1, lines?.count ?? 1);
    }
    if (plan.kind === 'changesRequested') {
      await this.#user.lua("require('hawser.diff').ask('', ...)", id);
    } else if (plan.kind === 'rejected') {
      await this.#user.lua("require('hawser.diff').reject(...)", id);
    } else if (plan.text === undefined) {
      await this.#user.lua("require('hawser.diff').accept(...)", id);
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

const CHOOSE = `local id, index, choice = ...
  local entry = require('hawser.diff').find(id)
  require('hawser.diff.cursor').go_to_hunk(entry.view, index)
  require('hawser.diff.review').choose_hunk(entry, entry.view, choice)`;

const NOTE = `local id, text, side, first, count = ...
  local entry = require('hawser.diff').find(id)
  local window = entry.view.windows[side]
  if side ~= '' and not window then
    -- One window shows both sides.
    return require('hawser.diff.notes').add(entry, { text = text, side = side, first = first, count = count })
  end
  vim.api.nvim_set_current_win(window or entry.view.windows.new)
  local lines = { text = text, whole = side == '', first = first, last = first + count - 1 }
  require('hawser.diff').note(lines)`;

/** The buffer of the proposed text. */
const FIND = `local id, lines, eol = ...
  local buf = require('hawser.diff').find(id).view.pair.new`;
